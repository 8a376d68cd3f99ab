#pragma once

#include "client/follow/console.h"
#include "client/follow/console_stream.h"
#include "os/process/signals.h"

#include <string>
#include <string_view>

namespace muster::client {

/// Where it appears here what a command in a task writes, byte by byte. Who reads it may be slow,
/// and is waited for; signals that ask this program to end do not wait for them, and are held for
/// whoever takes them over later.
class CommandOutput {
 public:
  /// `out` is where standard output goes. `plain_errors` is as in ExecPlan. `console` outlives it,
  /// and gives way to the same signals meanwhile.
  CommandOutput(Console& console, int out, bool plain_errors);
  ~CommandOutput();
  CommandOutput(const CommandOutput&) = delete;
  CommandOutput& operator=(const CommandOutput&) = delete;

  void write(bool is_err, std::string_view bytes);
  /// Writes what waited while a signal came. Not where the command was left.
  void flush();
  /// Writes a line of plain errors that has no end.
  void finish() { console_.err(unended_); }
  /// Whether standard output takes no more.
  [[nodiscard]] bool failed() const { return out_.failed(); }
  /// Why, as ConsoleStream has it.
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
