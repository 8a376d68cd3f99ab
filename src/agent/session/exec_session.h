#pragma once

#include "agent/attempt/task_run.h"
#include "agent/session/guest.h"
#include "agent/session/session.h"
#include "base/result.h"
#include "os/process/interactive_child.h"
#include "os/process/processes.h"
#include "wire/frame.h"
#include "wire/stream_ledger.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace muster::agent {

/// A command that a person runs beside an attempt, and the stream by which they reach it. It has
/// the attempt's environment and folder, its memory counts towards the attempt, and it ends with
/// the attempt. Lives on the loop's thread; must have ended before it is destroyed.
class ExecSession final : public Session {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame::Kind)> send;
    /// The process is gone. Called once. Returns why, if it did not end on its own; else "".
    std::function<std::string()> exited;
    std::function<void()> ended;  ///< Called once, after `exited`; may destroy the session.
  };

  ExecSession(Guests& guests, wire::StreamWindows windows, Handlers handlers)
      : guests_(guests),
        processes_(guests.processes()),
        handlers_(std::move(handlers)),
        window_(windows.here),
        ledger_(windows) {}
  ExecSession(const ExecSession&) = delete;
  ExecSession& operator=(const ExecSession&) = delete;

  /// Runs the command. If it cannot be run, the person has been told so, `ended` is not called, and
  /// false is returned.
  [[nodiscard]] bool start(const wire::ExecRequest& request, const TaskRun& run);
  [[nodiscard]] os::Pid pid() const { return child_->pid(); }

  [[nodiscard]] Status take(wire::StreamFrame::Kind kind) override;
  /// Sends SIGHUP to the command; what it writes is dropped.
  bool hang_up() override;
  void kill() override;
  void attempt_over() override { reads_ = {}; }  // The attempt ends its guests.

 private:
  [[nodiscard]] Status take_input(const wire::StreamData& data);
  void consumed(size_t bytes);
  void send(const wire::ExecOutput& message);
  [[nodiscard]] size_t on_output(os::Stream stream, std::string_view bytes);
  void on_exited(const os::Exit& exit);
  [[nodiscard]] size_t readable() const;
  void tell_exit(const wire::ExecExited& exited);

  Guests& guests_;
  os::Processes& processes_;
  Handlers handlers_;
  size_t window_;  ///< What this end takes before it gives credit.
  wire::StreamLedger ledger_;
  bool hung_up_ = false;
  /// Processes that a look at stacks, or a debugger, may stop, and which of them were stopped
  /// before.
  struct Read {
    os::Pid process{};
    std::vector<os::Pid> stood;
  };
  std::optional<Read> reads_;
  std::unique_ptr<os::InteractiveChild> child_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::agent
