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
/// the attempt's environment and folder, counts as the attempt's for memory, and ends with it.
/// Lives on the loop's thread; must have ended when it is destroyed.
class ExecSession final : public Session {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame::Kind)> send;
    /// Its process is gone. Once. Returns why, where it was not by itself; else "".
    std::function<std::string()> exited;
    std::function<void()> ended;  ///< After `exited`, once; may destroy the session.
  };

  ExecSession(Guests& guests, wire::StreamWindows windows, Handlers handlers)
      : guests_(guests),
        processes_(guests.processes()),
        handlers_(std::move(handlers)),
        window_(windows.here),
        ledger_(windows) {}
  ExecSession(const ExecSession&) = delete;
  ExecSession& operator=(const ExecSession&) = delete;

  /// Runs the command. One that cannot be run has told the person so, and `ended` is not called:
  /// returns false.
  [[nodiscard]] bool start(const wire::ExecRequest& request, const TaskRun& run);
  [[nodiscard]] os::Pid pid() const { return child_->pid(); }

  [[nodiscard]] Status take(wire::StreamFrame::Kind kind) override;
  /// The command gets SIGHUP, what it writes is dropped.
  bool hang_up() override;
  void kill() override;
  void attempt_over() override { reads_ = {}; }  // The attempt takes its guests along.

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
  /// Whose processes a look at stacks, or a debugger, may hold, and which of these stood before.
  struct Read {
    os::Pid process{};
    std::vector<os::Pid> stood;
  };
  std::optional<Read> reads_;
  std::unique_ptr<os::InteractiveChild> child_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::agent
