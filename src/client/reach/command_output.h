#pragma once

#include "client/follow/console.h"
#include "client/follow/console_stream.h"
#include "os/process/signals.h"

#include <string>
#include <string_view>

namespace muster::client {

/// Where the output of a command in a task appears here, byte for byte. A slow reader is waited
/// for; signals that ask this program to end do not wait for it, and are held for whoever takes
/// them over later.
class CommandOutput {
 public:
  /// `out` is where standard output goes. `plain_errors` is as in ExecPlan. `console` must outlive
  /// it, and gives way to the same signals meanwhile.
  CommandOutput(Console& console, int out, bool plain_errors);
  ~CommandOutput();
  CommandOutput(const CommandOutput&) = delete;
  CommandOutput& operator=(const CommandOutput&) = delete;

  void write(bool is_err, std::string_view bytes);
  /// Such a signal has been obeyed: a reader that takes nothing is no longer waited for, here nor
  /// by the console.
  void hurry();
  /// Writes what had to wait when a signal arrived. Not to be called if the person has detached
  /// from the command.
  void flush();
  /// Writes an unfinished line of plain errors.
  void finish() { console_.err(unended_); }
  /// Returns whether standard output takes no more.
  [[nodiscard]] bool failed() const { return out_.failed(); }
  /// Returns why, as ConsoleStream does.
  [[nodiscard]] int error() const { return out_.error(); }

 private:
  void show_errors(std::string_view bytes);

  os::HeldSignals urgent_;
  Console& console_;
  ConsoleStream out_;
  ConsoleStream err_;
  bool plain_errors_;
  std::string unended_;  ///< A line of plain errors.
  int console_before_;   ///< What the console gave way to.
};

}  // namespace muster::client
