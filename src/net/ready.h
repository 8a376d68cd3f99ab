#pragma once

#include "rt/io_loop.h"

#include <coroutine>
#include <memory>

namespace muster::net {

/// Awaiting it suspends until a descriptor is ready, at least until a later turn of the loop.
/// Resumes directly from the loop's callback. The descriptor must stay open meanwhile.
class Ready {
 public:
  Ready(rt::IoLoop& loop, int fd, rt::Interest interest)
      : loop_(&loop), fd_(fd), interest_(interest) {}
  Ready(Ready&&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    watch_ = loop_->watch(fd_, interest_, [this, waiting] {
      watch_.reset();
      waiting.resume();
    });
  }
  void await_resume() const noexcept {}

 private:
  rt::IoLoop* loop_;
  int fd_;
  rt::Interest interest_;
  std::unique_ptr<rt::FdWatch> watch_;
};

}  // namespace muster::net
