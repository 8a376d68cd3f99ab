#include "agent/attempt/progress_watch.h"

#include "agent/attempt/allowance.h"

#include <algorithm>

namespace muster::agent {
namespace {

/// Pages that a program that only loops may still touch for the first time.
constexpr Allowance kIdleFaults = {.at_once = 1000, .per_second = 100};
/// The pause before the first word belongs to the start, and two words make only one pause.
constexpr uint32_t kSaidMin = 4;
/// A program that has said less has only greeted, or announced what it is about to do.
constexpr uint64_t kNewsMin = 4;

uint64_t files_of(const LifeSigns& signs) {
  return signs.moved_bytes - std::min(signs.moved_bytes, signs.output_bytes);
}

}  // namespace

bool ProgressWatch::says(const LifeSigns& signs) const {
  return signs.told > 0 ? signs.told != then_.told : signs.news != then_.news;
}

bool ProgressWatch::works(const LifeSigns& signs, Duration since) const {
  return kIdleFileBytes.exceeded(files_of(then_), files_of(signs), since) ||
         kIdleFaults.exceeded(then_.faults, signs.faults, since);
}

wire::Fruitless ProgressWatch::look(HostTime now, const LifeSigns& signs) {
  const bool said = clock_.running() && says(signs);
  if (!clock_.running() || said || works(signs, clock_.length(now))) {
    if (said_ > 0) {
      clock_.happened(now);
    } else {
      clock_.begin(now);
    }
    said_ = std::min(said_ + (said ? 1U : 0U), kSaidMin);
    then_ = signs;
  }
  return {.pause = clock_.pause(now),
          .knows_past = said_ >= kSaidMin,
          .reports = signs.told > 0,
          .got_on = signs.told > 0 || signs.news >= kNewsMin};
}

}  // namespace muster::agent
