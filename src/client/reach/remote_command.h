#pragma once

#include "base/result.h"
#include "wire/frame.h"
#include "wire/stream_ledger.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::client {

/// The outcome of a command in a task.
struct RemoteEnd {
  int status = 0;        ///< For the command line.
  std::string reason;    ///< Why the command has no status of its own; empty if it has one.
  bool cut_off = false;  ///< The connection or agent went away; the command may still run.
};

/// The client's end of the stream of one command. Lives on its loop's thread. Its handlers must not
/// destroy it.
class RemoteCommand {
 public:
  struct Handlers {
    std::function<void(wire::StreamFrame::Kind)> send;
    std::function<void(const std::string& reason)> waits;  ///< Its task does not run yet.
    /// What the command writes; it has been dealt with when this returns.
    std::function<void(bool is_err, std::string_view bytes)> output;
    /// The command is running. Called before any of its output.
    std::function<void(const wire::StreamOpened& opened)> opened = nullptr;
    std::function<void()> room;   ///< There may be more room for input.
    std::function<void()> ended;  ///< end() is available. Called once.
  };

  /// `window`: what the stream was opened with.
  explicit RemoteCommand(Handlers handlers, size_t window = wire::kStreamWindow)
      : handlers_(std::move(handlers)), ledger_({.here = window}) {}

  void take(const wire::StreamFrame& frame);
  /// Takes back a command, whether or not it runs yet: its end has this reason and status.
  void cancel(const std::string& why, int status);
  /// The connection is gone.
  void lose(const std::string& why);

  /// Returns how much input may be sent now.
  [[nodiscard]] size_t room() const;
  void send_input(std::string_view bytes);
  void end_input();
  /// Sends a signal; dropped if there is no room at all, since thousands are waiting then.
  void signal(int number);
  /// Returns whether the size has been sent; there may be no room for it yet.
  [[nodiscard]] bool resize(wire::TerminalSize size);

  [[nodiscard]] bool running() const { return opened_ && !end_.has_value(); }
  [[nodiscard]] const std::optional<RemoteEnd>& end() const { return end_; }

 private:
  [[nodiscard]] Status take_kind(const wire::StreamFrame::Kind& kind);
  [[nodiscard]] Status take_output(const wire::StreamData& data);
  bool send(const wire::ExecInput& message);
  void finish(RemoteEnd end);

  Handlers handlers_;
  wire::StreamLedger ledger_;
  bool opened_ = false;
  std::optional<RemoteEnd> end_;
};

}  // namespace muster::client
