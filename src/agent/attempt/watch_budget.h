#pragma once

#include "base/time.h"
#include "rt/loop.h"

#include <cstdint>

namespace muster::agent {

/// What looking at programs may cost: a share of one core, saved up for some seconds. Whoever wants
/// to look asks first and pays afterwards, so a single look may cost more than was saved; the next
/// one waits until it is paid off. Pure: the times are the caller's.
class WatchBudget {
 public:
  struct Options {
    uint32_t share_per_mille = 1;                        ///< Of one core.
    Duration saved_max = std::chrono::milliseconds(20);  ///< What a pause can save, at most.
  };

  /// Begins with `saved_max` at `now`.
  WatchBudget(Options options, HostTime now);

  /// Returns whether nothing is owed at `now`.
  [[nodiscard]] bool affords(HostTime now) const;
  /// Returns when nothing will be owed any more; in the past if nothing is.
  [[nodiscard]] HostTime free_at() const { return free_at_; }
  /// Charges a look that ended at `now` and took `spent` of a core.
  void pay(HostTime now, Duration spent);
  /// Everything that was paid.
  [[nodiscard]] Duration paid() const { return paid_; }

 private:
  Options options_;
  /// When everything spent will have been earned back; if in the past, the difference is saved.
  HostTime free_at_;
  Duration paid_{};
};

}  // namespace muster::agent
