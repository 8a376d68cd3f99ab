#include "rt/running.h"

namespace muster::rt {

Running::Running(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {
  handle_.promise().owner = this;
}

Running::Running(Running&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
  if (handle_) {
    handle_.promise().owner = this;
  }
}

Running& Running::operator=(Running&& other) noexcept {
  if (this != &other) {
    cancel();
    handle_ = std::exchange(other.handle_, nullptr);
    if (handle_) {
      handle_.promise().owner = this;
    }
  }
  return *this;
}

void Running::cancel() noexcept {
  if (handle_) {
    std::exchange(handle_, nullptr).destroy();
  }
}

namespace internal {

struct Wake::Slot {
  std::coroutine_handle<> waiting;
  int owners = 2;  ///< The Wake and the posted callback; both live on the loop's thread.

  void leave() {
    if (--owners == 0) {
      delete this;
    }
  }
};

Wake::~Wake() {
  if (slot_ != nullptr) {
    slot_->waiting = nullptr;
    slot_->leave();
  }
}

void Wake::post(Loop& loop, std::coroutine_handle<> waiting) {
  MUSTER_CHECK(slot_ == nullptr, "a coroutine is woken once per wait");
  struct Posted {
    explicit Posted(Slot* shared) : slot(shared) {}
    Posted(Posted&& other) noexcept : slot(std::exchange(other.slot, nullptr)) {}
    ~Posted() {
      if (slot != nullptr) {
        slot->leave();
      }
    }
    Slot* slot;
  };
  slot_ = new Slot{.waiting = waiting};
  loop.post([posted = Posted(slot_)] {
    if (posted.slot->waiting) {
      std::exchange(posted.slot->waiting, nullptr).resume();
    }
  });
}

// Not inlined: the frame that holds `this` is gone when the callback runs.
[[gnu::noinline]] void Finish::await_suspend(std::coroutine_handle<Running::promise_type> root) {
  Callback last = std::move(callback);
  if (Running* owner = root.promise().owner; owner != nullptr) {
    Running ended = std::move(*owner);
    ended.cancel();
  }
  last();
}

}  // namespace internal

}  // namespace muster::rt
