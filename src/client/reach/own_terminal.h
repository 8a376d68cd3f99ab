#pragma once

#include "os/process/terminal_mode.h"
#include "os/process/terminal_modes.h"
#include "wire/stream.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace muster::client {

/// The person's terminal, while a command in a task may have it: who gets the keys, and which modes
/// programs have switched on and not back. Destroying it returns the keys.
class OwnTerminal {
 public:
  struct Options {
    int keys = 0;      ///< Where the person types.
    int screen = 1;    ///< What they see.
    std::string name;  ///< The terminal's kind, as TERM has it.
  };
  explicit OwnTerminal(Options options) : options_(std::move(options)) {}

  /// Returns its current size; nullopt if nobody types at a terminal.
  [[nodiscard]] std::optional<wire::TerminalSize> size() const;

  // The keys.
  /// From now on the keys go to the command. Does nothing if nobody types at a terminal.
  void take();
  [[nodiscard]] bool taken() const { return raw_ != nullptr; }
  /// Keys are not read for a while, and Ctrl-C is a signal again. Lasts until take().
  void let_keys_wait();
  /// Takes the keys again, if they were taken, after another program has had the terminal
  /// meanwhile.
  void renew();
  /// Gives the keys back to the person; modes set by programs stay.
  void return_keys() { raw_.reset(); }

  // The screen.
  /// A program has written these bytes to it.
  void shown(std::string_view bytes) { modes_.take(bytes); }
  /// Writes what switches it to the modes of a program that was not shown on it before.
  void join(std::string_view modes);
  /// Switches it back to the modes that shells expect. Does nothing if it is not a terminal, or is
  /// a dumb one.
  void reset();

  /// Restores everything as the person had it before.
  void give_back();

 private:
  Options options_;
  std::unique_ptr<os::RawTerminal> raw_;
  os::TerminalModes modes_;
};

}  // namespace muster::client
