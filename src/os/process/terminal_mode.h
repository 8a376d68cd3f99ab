#pragma once

#include "base/result.h"
#include "os/process/interactive_child.h"

#include <memory>
#include <optional>

namespace muster::os {

/// Returns the rows and columns of the terminal behind `fd`; nothing if it is not a terminal.
[[nodiscard]] std::optional<WindowSize> window_size_of(int fd);

/// A terminal that passes every key as it is, including Ctrl-C, and shows bytes as they come.
/// Destroying it restores the previous mode; pending keys are dropped then.
class RawTerminal {
 public:
  virtual ~RawTerminal() = default;
  /// Holds keys back: they are not to be read and are not echoed, those for SIGINT and SIGQUIT send
  /// these signals, and line ends in output are translated again. Lasts until the next call; at
  /// first keys are not held back.
  virtual void let_keys_wait(bool wait) = 0;
  /// Sets the mode again after another program has used the terminal; what is restored at the end
  /// stays the same.
  virtual void renew() = 0;
};
[[nodiscard]] Result<std::unique_ptr<RawTerminal>> make_raw(int fd);

}  // namespace muster::os
