#pragma once

#include "base/time.h"
#include "wire/frame.h"

#include <algorithm>
#include <optional>

namespace muster::agent {

/// Measures how long an event that is polled for has not happened, and the longest such pause that
/// ended with it happening. A value; the times are the caller's and never decrease.
class PauseClock {
 public:
  /// Returns whether polling has begun.
  [[nodiscard]] bool running() const { return since_.has_value(); }
  [[nodiscard]] Duration length(HostTime now) const {
    return since_ ? now - *since_ : Duration::zero();
  }
  /// The event has happened: a pause is over.
  void happened(HostTime now) {
    longest_ = std::max(longest_, length(now));
    since_ = now;
  }
  /// The pause begins only now: what came before says nothing.
  void begin(HostTime now) { since_ = now; }
  [[nodiscard]] wire::Pause pause(HostTime now) const {
    return {.now = length(now), .longest = longest_};
  }

 private:
  std::optional<HostTime> since_;  ///< When it was last seen to happen.
  Duration longest_{};
};

}  // namespace muster::agent
