#pragma once

#include "base/result.h"
#include "os/process/interactive_child.h"

#include <memory>
#include <optional>

namespace muster::os {

/// The rows and columns of the terminal behind `fd`; nothing if it is none.
[[nodiscard]] std::optional<WindowSize> window_size_of(int fd);

/// A terminal that hands over every key as it is, Ctrl-C too, and shows bytes as they come.
/// Destroying it restores what was before; keys that still wait then are dropped.
class RawTerminal {
 public:
  virtual ~RawTerminal() = default;
  /// Keys wait: nobody is to read them, and they are not shown; those of SIGINT and SIGQUIT send
  /// these, and text has ends of lines again. Until the next call; at first they do not.
  virtual void let_keys_wait(bool wait) = 0;
  /// Makes it so again, where somebody else has used the terminal meanwhile; what is restored at
  /// the end stays the same.
  virtual void renew() = 0;
};
[[nodiscard]] Result<std::unique_ptr<RawTerminal>> make_raw(int fd);

}  // namespace muster::os
