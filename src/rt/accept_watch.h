#pragma once

#include "rt/io_loop.h"

#include <memory>

namespace muster::rt {

/// Watches a listening socket for those who come. Lives on the loop's thread.
class AcceptWatch {
 public:
  /// `ready` is called while somebody waits to be accepted. `fd` is closed after this has ended.
  AcceptWatch(IoLoop& loop, int fd, Callback ready);
  ~AcceptWatch();
  AcceptWatch(const AcceptWatch&) = delete;
  AcceptWatch& operator=(const AcceptWatch&) = delete;

  /// No descriptor is left for who waits, and the next try would fail at once: looks away for
  /// 100 ms. May be called inside `ready`; repeats are harmless.
  void rest();

 private:
  void look();

  IoLoop& loop_;
  int fd_;
  Callback ready_;
  TimerId timer_;  ///< While there is no watch.
  std::unique_ptr<FdWatch> watch_;
};

}  // namespace muster::rt
