#include "rt/blocking_pool.h"

#include <csignal>
#include <system_error>
#include <utility>

namespace muster::rt {

BlockingPool::~BlockingPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void BlockingPool::run(Callback work) {
  std::unique_lock lock(mutex_);
  queue_.push_back(std::move(work));
  if (queue_.size() <= idle_ || threads_.size() == kThreadsMax) {
    wake_.notify_one();
    return;
  }
  if (add_thread() || !threads_.empty()) {
    return;
  }
  // There is no memory for a single thread, or no more may be created: then the loop has to wait.
  work = std::move(queue_.back());
  queue_.pop_back();
  lock.unlock();
  work();
}

bool BlockingPool::add_thread() {
  // Signals belong to the loop's thread, which reads them from a descriptor; a pool thread that
  // took one would let its default action end the process.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool added = true;
  try {
    threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    added = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return added;
}

void BlockingPool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) {
      return;
    }
    Callback work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace muster::rt
