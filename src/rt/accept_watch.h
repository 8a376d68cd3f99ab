#pragma once

#include "rt/io_loop.h"

#include <chrono>
#include <memory>

namespace muster::rt {

/// Whether accept() failed with this `errno` because no descriptor, or no memory for one, is left.
/// Who waits still waits then, and the next try would fail at once.
[[nodiscard]] bool no_descriptor_left(int error);

/// Watches a listening socket for those who come. Lives on the loop's thread.
class AcceptWatch {
 public:
  /// `ready` is called while somebody waits to be accepted. `fd` is closed after this has ended.
  AcceptWatch(IoLoop& loop, int fd, Callback ready);
  ~AcceptWatch();
  AcceptWatch(const AcceptWatch&) = delete;
  AcceptWatch& operator=(const AcceptWatch&) = delete;

  /// Nobody can be taken in now: looks away for so long. May be called inside `ready`; while it
  /// looks away already, a repetition changes nothing.
  void rest(Duration time = std::chrono::milliseconds(100));
  /// Somebody may be taken in again: looks at once. Harmless while it looks.
  void look();

 private:
  IoLoop& loop_;
  int fd_;
  Callback ready_;
  TimerId timer_;  ///< While there is no watch.
  std::unique_ptr<FdWatch> watch_;
};

}  // namespace muster::rt
