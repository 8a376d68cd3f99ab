#pragma once

#include "base/check.h"
#include "base/result.h"

#include <concepts>
#include <coroutine>
#include <optional>
#include <utility>

namespace muster::rt {

template <class T = void>
class Async;

namespace internal {

/// A coroutine that ends resumes the one that awaits it, without growing the stack.
struct HandOver {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class P>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<P> ended) const noexcept {
    return ended.promise().awaiting;
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> awaiting = std::noop_coroutine();

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] HandOver final_suspend() const noexcept { return {}; }
  [[noreturn]] void unhandled_exception() const noexcept {
    check_failed("no exception", "an exception left a coroutine", __FILE__, __LINE__);
  }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;

  Async<T> get_return_object();
  template <class U = T>
    requires std::constructible_from<T, U&&>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return *std::move(value); }
};

template <>
struct Promise<void> : PromiseBase {
  Async<void> get_return_object();
  void return_void() const noexcept {}
  void take() const noexcept {}
};

}  // namespace internal

/// A coroutine that returns a T. Lazy: it starts when it is awaited, by one awaiter, once. Runs on
/// the thread of the loop that its innermost waits use; never blocks.
///
/// Cancellation is destruction: destroying an Async that is suspended destroys its frame, with
/// everything it awaits in turn; only destructors run. Nothing may destroy a running coroutine.
/// Therefore whatever resumes coroutines does so from the loop, never inside a call that another
/// coroutine made.
///
/// Coroutines take their parameters by value; references are only for what certainly outlives them.
/// Roots are started by start() (running.h) or Scope (scope.h).
template <class T>
class [[nodiscard]] Async {
 public:
  using promise_type = internal::Promise<T>;  // NOLINT(readability-identifier-naming): the language
  using Value = T;

  Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Async& operator=(Async&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Async() { reset(); }

  /// Destroys the frame. It must be suspended.
  void reset() noexcept {
    if (handle_) {
      std::exchange(handle_, nullptr).destroy();
    }
  }

  /// For awaiters: returns what to resume so that this coroutine runs, and `awaiting` after it.
  [[nodiscard]] std::coroutine_handle<> begin(std::coroutine_handle<> awaiting) noexcept {
    MUSTER_CHECK(handle_, "an Async is awaited only once");
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  /// For awaiters: the value, once the coroutine has ended.
  T take() { return handle_.promise().take(); }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Async* work;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        return work->begin(awaiting);
      }
      T await_resume() const { return work->take(); }
    };
    return Awaiter{this};
  }

 private:
  friend promise_type;
  explicit Async(std::coroutine_handle<promise_type> handle) : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

namespace internal {

template <class T>
Async<T> Promise<T>::get_return_object() {
  return Async<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}

inline Async<void> Promise<void>::get_return_object() {
  return Async<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace internal

}  // namespace muster::rt

/// MUSTER_TRY and MUSTER_TRY_STATUS for coroutines: they leave by co_return.
// NOLINTBEGIN(bugprone-macro-parentheses): `variable` is a declaration.
#define MUSTER_CO_TRY(variable, expression) \
  MUSTER_CO_TRY_IMPL(MUSTER_CONCAT(muster_try_, __LINE__), variable, expression)
#define MUSTER_CO_TRY_IMPL(temporary, variable, expression) \
  auto temporary = (expression);                            \
  if (!temporary.has_value()) {                             \
    co_return std::move(temporary).error();                 \
  }                                                         \
  variable = std::move(temporary).value()
// NOLINTEND(bugprone-macro-parentheses)
#define MUSTER_CO_TRY_STATUS(expression)                                 \
  do {                                                                   \
    if (auto muster_status = (expression); !muster_status.has_value()) { \
      co_return std::move(muster_status).error();                        \
    }                                                                    \
  } while (false)
