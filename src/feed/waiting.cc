#include "feed/waiting.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::feed {
namespace {

constexpr uint32_t kSomebodyWaits = 1;
constexpr uint32_t kOneRing = 2;

}  // namespace

uint32_t arm(Bell& bell) {
  // If this comes before a ring that is under way, that ring sees the bit. If it comes after, this
  // side sees what the ring was for, because it checks before it waits.
  return bell.word.fetch_or(kSomebodyWaits, std::memory_order_acq_rel) | kSomebodyWaits;
}

Woken wait(Bell& bell, uint32_t seen, std::chrono::steady_clock::time_point deadline) {
  // lint: allow(clock) the feed runs in the user's process, where there is no loop.
  const auto left = deadline - std::chrono::steady_clock::now();
  if (left <= std::chrono::nanoseconds::zero()) {
    return Woken::TimedOut;
  }
  // A relative time-out of FUTEX_WAIT uses the monotonic clock.
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  constexpr int64_t kPerSecond = 1'000'000'000;
  // At most a day per wait: some kernels refuse huge times, and the caller checks again anyway.
  const timespec timeout{.tv_sec = std::min<int64_t>(nanoseconds / kPerSecond, 86'400),
                         .tv_nsec = nanoseconds % kPerSecond};
  // Not FUTEX_PRIVATE: the word is in memory that two processes share.
  const long result = ::syscall(SYS_futex, &bell.word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
  if (result == 0 || errno == EAGAIN) {
    return Woken::Maybe;
  }
  return errno == EINTR ? Woken::Interrupted
                        : (errno == ETIMEDOUT ? Woken::TimedOut : Woken::Maybe);
}

void ring(Bell& bell) {
  uint32_t was = bell.word.load(std::memory_order_relaxed);
  while (!bell.word.compare_exchange_weak(was, (was + kOneRing) & ~kSomebodyWaits,
                                          std::memory_order_acq_rel)) {
  }
  if ((was & kSomebodyWaits) != 0) {
    ::syscall(SYS_futex, &bell.word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

}  // namespace muster::feed
