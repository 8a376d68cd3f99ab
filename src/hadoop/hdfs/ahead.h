#pragma once

#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <optional>
#include <utility>

namespace muster::hadoop::hdfs {

/// One piece of work that continues while its owner does something else, until it asks for the
/// result.
template <class T>
class Ahead {
 public:
  Ahead(rt::Loop& loop, rt::Async<T> work) : loop_(&loop), done_(loop) { begin(std::move(work)); }
  Ahead(Ahead&&) = delete;

  /// Starts the next piece of work; the one before has been taken.
  void begin(rt::Async<T> work) {
    result_.reset();
    done_.reset();
    running_ = rt::start(*loop_, std::move(work), [this](T result) {
      result_.emplace(std::move(result));
      done_.set();
    });
  }
  /// Waits for its result.
  [[nodiscard]] rt::Async<T> take() {
    co_await done_.wait();
    co_return *std::move(result_);
  }

 private:
  rt::Loop* loop_;
  rt::Event done_;
  std::optional<T> result_;
  rt::Running running_;
};

}  // namespace muster::hadoop::hdfs
