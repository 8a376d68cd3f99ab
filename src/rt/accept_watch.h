#pragma once

#include "rt/io_loop.h"

#include <chrono>
#include <memory>

namespace muster::rt {

/// Returns whether accept() failed with this `errno` because no descriptor, or no memory for one,
/// is left. The pending connection then still waits, and the next attempt would fail at once.
[[nodiscard]] bool no_descriptor_left(int error);

/// Watches a listening socket for incoming connections. Lives on the loop's thread.
class AcceptWatch {
 public:
  /// `ready` is called while a connection waits to be accepted. `fd` must be closed only after this
  /// has ended.
  AcceptWatch(IoLoop& loop, int fd, Callback ready);
  ~AcceptWatch();
  AcceptWatch(const AcceptWatch&) = delete;
  AcceptWatch& operator=(const AcceptWatch&) = delete;

  /// No connection can be accepted now: stops watching for `time`. May be called inside `ready`;
  /// does nothing if it is already resting.
  void rest(Duration time = std::chrono::milliseconds(100));
  /// Connections may be accepted again: watches at once. Harmless while it is watching.
  void look();

 private:
  IoLoop& loop_;
  int fd_;
  Callback ready_;
  TimerId timer_;  ///< While there is no watch.
  std::unique_ptr<FdWatch> watch_;
};

}  // namespace muster::rt
