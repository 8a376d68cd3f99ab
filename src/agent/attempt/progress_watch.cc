#include "agent/attempt/progress_watch.h"

#include "agent/attempt/allowance.h"

#include <algorithm>

namespace muster::agent {
namespace {

/// Pages that a program that goes round in circles may still touch for the first time.
constexpr Allowance kIdleFaults = {.at_once = 1000, .per_second = 100};
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
  return kIdleFileBytes.exceeded(files_of(then_), files_of(signs), since) ||
         kIdleFaults.exceeded(then_.faults, signs.faults, since);
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
