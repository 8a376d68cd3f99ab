#include "agent/attempt/quiet_watch.h"

#include <algorithm>
#include <chrono>

namespace muster::agent {
namespace {

/// What heartbeats and timers of an idle program take: a hundredth of one core.
constexpr int64_t kIdleShare = 100;
constexpr Duration kIdleMin = std::chrono::milliseconds(50);
/// And what they read and write.
constexpr uint64_t kIdleBytesPerSecond = 1U << 10;
constexpr uint64_t kIdleBytesMin = 64U << 10;

}  // namespace

bool QuietWatch::moves(const Signs& signs, Duration quiet) const {
  const auto seconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(quiet).count());
  // Sums over processes fall when one ends that nobody waits for.
  return signs.output_bytes != then_.output_bytes || signs.told != then_.told ||
         signs.cpu < then_.cpu || signs.cpu - then_.cpu > quiet / kIdleShare + kIdleMin ||
         signs.moved_bytes < then_.moved_bytes ||
         signs.moved_bytes - then_.moved_bytes > kIdleBytesMin + seconds * kIdleBytesPerSecond;
}

wire::Quiet QuietWatch::look(HostTime now, const Signs& signs) {
  const Duration quiet = since_ ? now - *since_ : Duration::zero();
  if (since_ && !moves(signs, quiet)) {
    return {.now = quiet, .longest = longest_};
  }
  longest_ = std::max(longest_, quiet);
  since_ = now;
  then_ = signs;
  return {.now = Duration::zero(), .longest = longest_};
}

}  // namespace muster::agent
