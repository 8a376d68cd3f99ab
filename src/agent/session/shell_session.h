#pragma once

#include "agent/attempt/task_run.h"
#include "agent/session/guest.h"
#include "agent/session/session.h"
#include "agent/session/terminal_guest.h"
#include "agent/session/terminal_history.h"
#include "agent/session/typed_input.h"
#include "base/result.h"
#include "base/time.h"
#include "os/process/processes.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace muster::agent {

/// A command on a terminal that outlives its stream: whoever joins it sees what it has written
/// meanwhile. It has the attempt's environment and folder, its memory counts towards the attempt,
/// and it ends with the attempt, or when nobody has joined it for kAloneMax. Its last output, and
/// how it ended, are kept just as long for whoever comes. Lives on the loop's thread; must have
/// ended, or its attempt must, when it is destroyed.
///
///     joined ──1──► alone ──3──► ended, unseen ──2──► over
///        ▲──2───────┘               │ 4
///        └──5──► over               └───► over
///
/// 1 its stream ends · 2 somebody joins it · 3 the command ends · 4 nobody comes, or the attempt
/// ends · 5 the command ends, and whoever has it is told
class ShellSession final : public Session {
 public:
  using Send = std::function<void(wire::StreamFrame::Kind)>;
  struct Handlers {
    /// The process is gone. Called once. Returns why, if it did not end on its own; else "".
    std::function<std::string()> exited;
    /// There is nothing more to say, and no one to say it to. Called once, after `exited`, from the
    /// event loop; may destroy the session.
    std::function<void()> ended;
  };

  /// How long a shell that nobody has joined is kept: from a Friday to a Monday.
  static constexpr Duration kAloneMax = std::chrono::hours(72);

  ShellSession(rt::Loop& loop, Guests& guests, uint32_t number, Handlers handlers);
  ~ShellSession() override { loop_.cancel(timer_); }
  ShellSession(const ShellSession&) = delete;
  ShellSession& operator=(const ShellSession&) = delete;

  /// Runs the command, with `send` as its first stream. If it cannot be run, the person has been
  /// told so, no handler is called, and false is returned.
  [[nodiscard]] bool start(const wire::ExecRequest& request, const TaskRun& run, Send send);
  /// Continues on another stream: sends what was missed and how much of the client's earlier input
  /// arrived, then goes on. Whoever had the shell before must have been told.
  void join(const wire::JoinRequest& request, Send send);

  [[nodiscard]] os::Pid pid() const { return guest_.pid(); }
  /// Returns whether it has ended while nobody had joined it.
  [[nodiscard]] bool ended_unseen() const { return !line_ && exited_.has_value(); }
  [[nodiscard]] wire::Shell describe() const;

  [[nodiscard]] Status take(wire::StreamFrame::Kind kind) override;
  /// It goes on alone.
  bool hang_up() override;
  void kill() override { guest_.kill(); }
  void attempt_over() override;
  /// It is not kept any longer: sends SIGHUP to the command, and SIGKILL later.
  void end();

 private:
  /// The stream of whoever has it.
  struct Line {
    Send send;
    wire::StreamLedger ledger;
    uint64_t position = 0;  ///< Of the first byte that has not been sent.
  };

  void open(wire::StreamOpened opened, Send send);
  void consumed(size_t bytes);
  [[nodiscard]] size_t on_output(std::string_view bytes);
  void on_exited(const os::Exit& exit);
  /// Sends what the stream has credit for, and the end once nothing is left before it.
  void pump();
  [[nodiscard]] size_t readable() const;
  void finish();

  rt::Loop& loop_;
  uint32_t number_;
  uint32_t attempt_ = 0;
  Handlers handlers_;
  HostTime began_{};
  TerminalHistory history_;
  TypedInput input_;
  std::optional<Line> line_;
  HostTime alone_since_{};  ///< Without a line.
  rt::TimerId timer_{};     ///< Of its end, while it is alone.
  std::optional<wire::ExecExited> exited_;
  bool unwanted_ = false;  ///< Nobody is to join it any more.
  bool over_ = false;
  rt::Running ending_;
  TerminalGuest guest_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::agent
