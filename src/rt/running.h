#pragma once

#include "base/check.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <coroutine>
#include <type_traits>
#include <utility>

namespace muster::rt {

/// Owns one started coroutine: destroying it cancels the coroutine, which must be suspended then
/// (not the caller itself). Holds nothing after the end.
class [[nodiscard]] Running {
 public:
  struct promise_type;  // NOLINT(readability-identifier-naming): the language's name

  Running() = default;
  Running(Running&& other) noexcept;
  Running& operator=(Running&& other) noexcept;
  ~Running() { cancel(); }

  /// True until the coroutine has ended or was cancelled.
  [[nodiscard]] bool active() const { return static_cast<bool>(handle_); }
  /// Destroys the coroutine, if it has not ended. Its callback is not called.
  void cancel() noexcept;

 private:
  explicit Running(std::coroutine_handle<promise_type> handle) noexcept;

  std::coroutine_handle<promise_type> handle_;
};

/// The frame behind a Running.
struct Running::promise_type {
  Running* owner = nullptr;

  Running get_return_object() noexcept {
    return Running(std::coroutine_handle<promise_type>::from_promise(*this));
  }
  [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
  [[nodiscard]] std::suspend_always final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  [[noreturn]] void unhandled_exception() const noexcept {
    check_failed("no exception", "an exception left a coroutine", __FILE__, __LINE__);
  }
};

namespace internal {

/// Resumes one suspended coroutine in a later turn of the loop. Destroying it forgets that.
class Wake {
 public:
  Wake() = default;
  Wake(Wake&&) = delete;
  ~Wake();
  void post(Loop& loop, std::coroutine_handle<> waiting);

 private:
  struct Slot;
  Slot* slot_ = nullptr;  ///< Shared with what was posted.
};

/// Awaiting it ends this turn of the loop.
struct NextTurn {
  explicit NextTurn(Loop& turning) : loop(&turning) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { wake.post(*loop, waiting); }
  void await_resume() const noexcept {}

  Loop* loop;
  Wake wake;
};

/// Awaiting it destroys the root coroutine, then calls back: whatever the callback destroys, no
/// frame is on the stack.
struct Finish {
  Callback callback;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<Running::promise_type> root);
  void await_resume() const noexcept {}
};

template <class T, class Done>
// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): a loop outlives them.
Running run_root(Loop& loop, Async<T> work, Done done) {
  co_await NextTurn(loop);
  if constexpr (std::is_void_v<T>) {
    co_await std::move(work);
    co_await Finish{.callback = Callback(std::move(done))};
  } else {
    T result = co_await std::move(work);
    Callback last = [done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    };
    co_await Finish{.callback = std::move(last)};
  }
}

}  // namespace internal

/// Starts `work` in the next turn of the loop and calls `done(T)` once at its end, from the loop;
/// never inside this call. The returned owner must be kept: destroying it cancels. `done` may
/// destroy it, and everything else that the coroutine used.
template <class T, class Done>
[[nodiscard]] Running start(Loop& loop, Async<T> work, Done done) {
  return internal::run_root(loop, std::move(work), std::move(done));
}

}  // namespace muster::rt
