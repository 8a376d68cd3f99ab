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

/// The person's terminal, while a command in a task may have it: who gets the keys, and what
/// programs have switched on it and not back. Destroying it returns the keys.
class OwnTerminal {
 public:
  struct Options {
    int keys = 0;      ///< Where the person types.
    int screen = 1;    ///< What they see.
    std::string name;  ///< The terminal's kind, as TERM has it.
  };
  explicit OwnTerminal(Options options) : options_(std::move(options)) {}

  /// Its size now; nullopt where nobody types at a terminal.
  [[nodiscard]] std::optional<wire::TerminalSize> size() const;

  // The keys.
  /// From now on they are the command's. Changes nothing where nobody types at a terminal.
  void take();
  [[nodiscard]] bool taken() const { return raw_ != nullptr; }
  /// Nobody reads them for a while; Ctrl-C is a signal again. Until take().
  void let_keys_wait();
  /// Takes them again, if they were taken, where another program has had the terminal meanwhile.
  void renew();
  /// They are the person's again, and programs' modes stay.
  void return_keys() { raw_.reset(); }

  // The screen.
  /// A program has written this on it.
  void shown(std::string_view bytes) { modes_.take(bytes); }
  /// Writes what brings it to the modes of a program that was not shown on it before.
  void join(std::string_view modes);
  /// Brings it back to the modes that shells expect. Nothing where it is none, or is dumb.
  void reset();

  /// All as the person had it before.
  void give_back();

 private:
  Options options_;
  std::unique_ptr<os::RawTerminal> raw_;
  os::TerminalModes modes_;
};

}  // namespace muster::client
