#pragma once

#include "rt/loop.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace muster::rt {

/// Threads for work that may block. None exists before the first work; a new one starts only when
/// all are busy, up to a limit. If the system gives no more, the existing ones take the work, or
/// else run() does it itself. Destroying it drops queued work and waits for running work. run() may
/// be called on any thread.
class BlockingPool {
 public:
  BlockingPool() = default;
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  void run(Callback work);

 private:
  static constexpr size_t kThreadsMax = 8;
  [[nodiscard]] bool add_thread();
  void serve();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Callback> queue_;
  size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // Last: joined before the rest is destroyed.
};

}  // namespace muster::rt
