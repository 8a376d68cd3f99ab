#pragma once

#include "base/time.h"
#include "rt/running.h"

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// What coroutines wait for: time, events, callbacks, work of the blocking pool, and all of these
/// with a deadline.
namespace muster::rt {

/// Suspends until `when`; at least to the next turn of the loop.
[[nodiscard]] Async<> pause_until(Loop& loop, HostTime when);
[[nodiscard]] inline Async<> pause_for(Loop& loop, Duration delay) {
  return pause_until(loop, loop.now() + delay);
}
/// Ends this turn of the loop, so that others can run.
[[nodiscard]] inline internal::NextTurn next_turn(Loop& loop) { return internal::NextTurn(loop); }

/// Something that coroutines of one loop wait for, as often as they like. Must outlive its waiters'
/// frames or be destroyed in the same turn as they are.
class Event {
 public:
  explicit Event(Loop& loop) : loop_(&loop) {}
  Event(Event&&) = delete;
  ~Event();

  /// Wakes all that wait (in later turns, in order of waiting) and lets later waits pass at once.
  void set();
  /// Wakes those that wait now; later waits wait for the next time. The condition may have changed
  /// again before a waiter runs, so a waiter checks it once more.
  void pulse();
  /// Lets later waits wait again.
  void reset() { set_ = false; }
  [[nodiscard]] bool is_set() const { return set_; }

  class Waiter {
   public:
    explicit Waiter(Event& event) : event_(&event) {}
    Waiter(Waiter&&) = delete;
    ~Waiter();
    [[nodiscard]] bool await_ready() const { return event_->set_; }
    void await_suspend(std::coroutine_handle<> waiting);
    void await_resume() const noexcept {}

   private:
    friend class Event;
    Event* event_;
    std::coroutine_handle<> waiting_;
    internal::Wake wake_;
  };
  /// Awaiting it returns when the event is set or pulsed; at once if it is set.
  [[nodiscard]] Waiter wait() { return Waiter(*this); }

 private:
  Loop* loop_;
  bool set_ = false;
  std::vector<Waiter*> waiters_;
};

/// How a callback API returns its result to a coroutine: call it once, on the loop's thread. Later
/// calls, and calls after the coroutine was destroyed, do nothing.
template <class T>
class Answer {
 public:
  void operator()(T value) const {
    if (state_->value.has_value()) {
      return;
    }
    state_->value.emplace(std::move(value));
    if (state_->waiting) {
      state_->loop->post([state = state_] {
        if (state->waiting) {
          std::exchange(state->waiting, nullptr).resume();
        }
      });
    }
  }

 private:
  template <class U, class Begin>
  friend class CallbackWait;
  struct State {
    Loop* loop;
    std::optional<T> value;
    std::coroutine_handle<> waiting;
  };
  explicit Answer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// What from_callback() returns.
template <class T, class Begin>
class CallbackWait {
 public:
  CallbackWait(Loop& loop, Begin begin)
      : begin_(std::move(begin)), state_(std::make_shared<State>(State{.loop = &loop})) {}
  CallbackWait(CallbackWait&&) = delete;
  ~CallbackWait() { state_->waiting = nullptr; }

  [[nodiscard]] bool await_ready() {
    if constexpr (std::is_void_v<std::invoke_result_t<Begin&, Answer<T>>>) {
      begin_(Answer<T>(state_));
    } else {
      kept_.emplace(begin_(Answer<T>(state_)));
    }
    return state_->value.has_value();
  }
  void await_suspend(std::coroutine_handle<> waiting) { state_->waiting = waiting; }
  T await_resume() { return *std::move(state_->value); }

 private:
  using State = typename Answer<T>::State;
  using Begun = std::invoke_result_t<Begin&, Answer<T>>;
  using Kept = std::conditional_t<std::is_void_v<Begun>, std::monostate, Begun>;

  Begin begin_;
  std::shared_ptr<State> state_;
  std::optional<Kept> kept_;  ///< Destroyed first.
};

/// Awaits a callback API: calls `begin(Answer<T>)`, keeps what that returns (if anything) until the
/// answer has come or the coroutine is destroyed, and returns the answer:
///
///     auto socket = co_await from_callback<Result<Fd>>(
///         loop, [&](auto answer) { return net::connect_to(loop, address, answer); });
template <class T, class Begin>
[[nodiscard]] CallbackWait<T, Begin> from_callback(Loop& loop, Begin begin) {
  return CallbackWait<T, Begin>(loop, std::move(begin));
}

/// Runs `work` on a thread of the blocking pool and returns what it returns. `work` must own all it
/// uses: it continues when the coroutine is destroyed meanwhile, and its result is dropped.
template <class Work>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
[[nodiscard]] Async<std::invoke_result_t<Work&>> run_blocking(Loop& loop, Work work) {
  auto result = std::make_shared<std::optional<std::invoke_result_t<Work&>>>();
  auto begin = [&loop, &work, &result](const Answer<std::monostate>& answer) {
    loop.run_blocking([result, work = std::move(work)]() mutable { result->emplace(work()); },
                      [answer] { answer({}); });
  };
  co_await from_callback<std::monostate>(loop, std::move(begin));
  co_return std::move(**result);
}

namespace internal {

/// The error of a deadline: "gave up waiting for WHAT after 20 s".
[[nodiscard]] Error deadline_error(std::string_view what, Duration waited);

/// Runs a coroutine until it ends or its time is over, whichever comes first.
template <class R>
class DeadlineWait {
 public:
  DeadlineWait(Loop& loop, HostTime when, Async<R> work)
      : loop_(&loop), when_(when), work_(std::move(work)) {}
  DeadlineWait(DeadlineWait&&) = delete;
  ~DeadlineWait() { loop_->cancel(timer_); }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    timer_ = loop_->call_at(when_, [this, awaiting] {
      late_ = true;
      work_.reset();
      awaiting.resume();
    });
    return work_.begin(awaiting);
  }
  /// Returns nothing if it was too late.
  std::optional<R> await_resume() {
    if (late_) {
      return std::nullopt;
    }
    loop_->cancel(timer_);
    return work_.take();
  }

 private:
  Loop* loop_;
  HostTime when_;
  Async<R> work_;
  TimerId timer_;
  bool late_ = false;
};

}  // namespace internal

/// Runs `work` until `when`; then destroys it and returns DeadlineExceeded with a message that
/// names `what` was waited for ("nn1:8020 to accept a connection"). R is a Result.
template <class R>
  requires std::constructible_from<R, Error>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
[[nodiscard]] Async<R> with_deadline(Loop& loop, HostTime when, std::string what, Async<R> work) {
  const HostTime begun = loop.now();
  std::optional<R> result = co_await internal::DeadlineWait<R>(loop, when, std::move(work));
  if (!result.has_value()) {
    co_return internal::deadline_error(what, loop.now() - begun);
  }
  co_return *std::move(result);
}

}  // namespace muster::rt
