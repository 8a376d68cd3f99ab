#pragma once

#include "base/time.h"
#include "rt/loop.h"

#include <cstdint>

namespace muster::agent {

/// What looking at programs may cost: a share of one core, saved up for some seconds. Whoever wants
/// to look asks first and pays afterwards, so that one look may cost more than was saved; the next
/// waits until that is paid. Pure: the times are the caller's.
class WatchBudget {
 public:
  struct Options {
    uint32_t share_per_mille = 1;                        ///< Of one core.
    Duration saved_max = std::chrono::milliseconds(20);  ///< What a pause can save, at most.
  };

  /// Begins with `saved_max` at `now`.
  WatchBudget(Options options, HostTime now);

  /// Whether nothing is owed at `now`.
  [[nodiscard]] bool affords(HostTime now) const;
  /// When nothing is owed any more; in the past where nothing is.
  [[nodiscard]] HostTime free_at() const { return free_at_; }
  /// Takes in that a look which ended at `now` took so much of a core.
  void pay(HostTime now, Duration spent);
  /// Everything that was paid.
  [[nodiscard]] Duration paid() const { return paid_; }

 private:
  Options options_;
  /// The time at which all that was spent will have been earned; what lies behind is saved.
  HostTime free_at_;
  Duration paid_{};
};

}  // namespace muster::agent
