#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::rt {
namespace {

/// Suspends until a time.
class TimeWait {
 public:
  TimeWait(Loop& loop, HostTime when) : loop_(&loop), when_(when) {}
  TimeWait(TimeWait&&) = delete;
  ~TimeWait() { loop_->cancel(timer_); }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    timer_ = loop_->call_at(when_, [waiting] { waiting.resume(); });
  }
  void await_resume() const noexcept {}

 private:
  Loop* loop_;
  HostTime when_;
  TimerId timer_;
};

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
Async<> pause_until(Loop& loop, HostTime when) { co_await TimeWait(loop, when); }

Event::~Event() {
  for (Waiter* waiter : waiters_) {
    waiter->event_ = nullptr;
  }
}

void Event::set() {
  set_ = true;
  pulse();
}

void Event::pulse() {
  for (Waiter* waiter : std::exchange(waiters_, {})) {
    waiter->wake_.post(*loop_, waiter->waiting_);
  }
}

Event::Waiter::~Waiter() {
  if (event_ != nullptr) {
    std::erase(event_->waiters_, this);
  }
}

void Event::Waiter::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  event_->waiters_.push_back(this);
}

Error internal::deadline_error(std::string_view what, Duration waited) {
  return cluster_error(
      fmt::format("gave up waiting for {} after {}", what, format_duration(waited)),
      Errc::DeadlineExceeded);
}

}  // namespace muster::rt
