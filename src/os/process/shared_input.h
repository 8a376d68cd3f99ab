#pragma once

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>

namespace muster::os {

/// A descriptor that this process was given, such as its standard input, and that others may share:
/// a terminal is its shell's as well. A watch of the loop would make it non-blocking for all of
/// them, and for later users; this class leaves it as it is.
class SharedInput {
 public:
  /// Does not own `fd`, which must stay open.
  explicit SharedInput(int fd);

  /// False for files and devices such as /dev/null, which are always ready.
  [[nodiscard]] bool pollable() const { return poll_.valid(); }
  /// Like the loop's own watch, for reading. The descriptor must be pollable, and this object must
  /// outlive the watch.
  [[nodiscard]] std::unique_ptr<rt::FdWatch> watch(rt::IoLoop& loop,
                                                   std::function<void()> ready) const;
  /// Returns whether reading it returns at once.
  [[nodiscard]] bool ready() const;

 private:
  int fd_;
  rt::Fd poll_;  ///< Reports readiness; valid if the descriptor is pollable.
};

}  // namespace muster::os
