#include "agent/attempt/progress_watch.h"

#include <algorithm>
#include <chrono>

namespace muster::agent {
namespace {

/// What a program that goes round in circles may still move and touch.
constexpr uint64_t kFutileBytesPerSecond = 1U << 10;
constexpr uint64_t kFutileBytesMin = 64U << 10;
constexpr uint64_t kFutileFaultsPerSecond = 100;
constexpr uint64_t kFutileFaultsMin = 1000;
/// The pause before the first word is that of a start, and two words make one pause.
constexpr uint32_t kSaidMin = 4;

uint64_t files_of(const ProgressWatch::Signs& signs) {
  return signs.moved_bytes - std::min(signs.moved_bytes, signs.output_bytes);
}

}  // namespace

bool ProgressWatch::says(const Signs& signs) const {
  return signs.told > 0 ? signs.told != then_.told : signs.output_bytes != then_.output_bytes;
}

bool ProgressWatch::works(const Signs& signs, Duration since) const {
  const auto seconds =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(since).count());
  const uint64_t files = files_of(signs);
  const uint64_t files_then = files_of(then_);
  // Sums over processes fall when one ends that nobody waits for.
  return files < files_then ||
         files - files_then > kFutileBytesMin + seconds * kFutileBytesPerSecond ||
         signs.faults < then_.faults ||
         signs.faults - then_.faults > kFutileFaultsMin + seconds * kFutileFaultsPerSecond;
}

wire::Fruitless ProgressWatch::look(HostTime now, const Signs& signs) {
  const Duration since = since_ ? now - *since_ : Duration::zero();
  const bool said = since_ && says(signs);
  if (!since_ || said || works(signs, since)) {
    longest_ = said_ > 0 ? std::max(longest_, since) : Duration::zero();
    said_ = std::min(said_ + (said ? 1U : 0U), kSaidMin);
    since_ = now;
    then_ = signs;
  }
  return {.now = now - *since_,
          .longest = longest_,
          .knows_past = said_ >= kSaidMin,
          .reports = signs.told > 0};
}

}  // namespace muster::agent
