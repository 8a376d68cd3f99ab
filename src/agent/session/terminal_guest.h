#pragma once

#include "agent/attempt/task_run.h"
#include "agent/session/guest.h"
#include "base/result.h"
#include "os/process/interactive_child.h"
#include "os/process/processes.h"
#include "rt/loop.h"
#include "wire/stream.h"

#include <cstddef>
#include <memory>

namespace muster::agent {

/// A command on a terminal of its own, beside an attempt: how it is started, drawn anew and ended.
/// Lives on the loop's thread; the command, or its attempt, must have ended when it is destroyed.
class TerminalGuest {
 public:
  TerminalGuest(rt::Loop& loop, Guests& guests)
      : loop_(loop), guests_(guests), processes_(guests.processes()) {}
  ~TerminalGuest();
  TerminalGuest(const TerminalGuest&) = delete;
  TerminalGuest& operator=(const TerminalGuest&) = delete;

  /// Runs the command; the others below need that. On an error no handler is called.
  [[nodiscard]] Status start(const wire::ExecRequest& request, const TaskRun& run,
                             os::InteractiveChild::Handlers handlers);
  [[nodiscard]] os::Pid pid() const { return child_->pid(); }

  /// As give_input().
  [[nodiscard]] size_t give(const wire::ExecInput& input, size_t bytes);
  void allow_output(size_t bytes) { child_->allow_output(bytes); }
  /// Has its program draw its screen, which a terminal of this size may not show. `has_screen`:
  /// one program has the screen for itself.
  void draw_anew(wire::TerminalSize size, bool has_screen);

  /// SIGHUP now, and SIGKILL later.
  void hang_up();
  /// There is to be no SIGKILL after all.
  void spare();
  void kill();

 private:
  rt::Loop& loop_;
  Guests& guests_;
  os::Processes& processes_;
  bool ended_ = false;
  rt::TimerId drawing_{};
  rt::TimerId killing_{};
  std::unique_ptr<os::InteractiveChild> child_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::agent
