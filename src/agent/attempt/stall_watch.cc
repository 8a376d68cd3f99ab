#include "agent/attempt/stall_watch.h"

namespace muster::agent {
namespace {

/// What heartbeats and timers of an idle program take: a hundredth of one core.
constexpr int64_t kIdleShare = 100;
constexpr Duration kIdleMin = std::chrono::milliseconds(50);

}  // namespace

std::optional<Duration> StallWatch::look(HostTime now, Duration cpu, uint64_t output_bytes) {
  const Duration silent = since_ ? now - *since_ : Duration::zero();
  const bool computes = cpu < cpu_ || cpu - cpu_ > silent / kIdleShare + kIdleMin;
  if (!since_ || computes || output_bytes != output_bytes_) {
    since_ = now;
    cpu_ = cpu;
    output_bytes_ = output_bytes;
    told_ = false;
    return std::nullopt;
  }
  if (told_ || silent < kStalledAfter) {
    return std::nullopt;
  }
  told_ = true;
  return silent;
}

}  // namespace muster::agent
