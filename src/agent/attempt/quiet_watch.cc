#include "agent/attempt/quiet_watch.h"

#include "agent/attempt/allowance.h"

#include <algorithm>
#include <chrono>

namespace muster::agent {
namespace {

/// What heartbeats and timers of an idle program take: a hundredth of one core.
constexpr int64_t kIdleShare = 100;
constexpr Duration kIdleMin = std::chrono::milliseconds(50);

}  // namespace

bool QuietWatch::moves(const Signs& signs, Duration quiet) const {
  // A sum of processor time falls as those of bytes do (Allowance).
  return signs.output_bytes != then_.output_bytes || signs.told != then_.told ||
         signs.cpu < then_.cpu || signs.cpu - then_.cpu > quiet / kIdleShare + kIdleMin ||
         kIdleFileBytes.exceeded(then_.moved_bytes, signs.moved_bytes, quiet);
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
