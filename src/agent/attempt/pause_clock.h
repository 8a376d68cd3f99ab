#pragma once

#include "base/time.h"
#include "wire/frame.h"

#include <algorithm>
#include <optional>

namespace muster::agent {

/// For how long something has not happened that is looked for now and then, and for how long it
/// ever had not before it did. A value; the times are the caller's, and never decrease.
class PauseClock {
 public:
  /// Whether it was looked for before.
  [[nodiscard]] bool running() const { return since_.has_value(); }
  [[nodiscard]] Duration length(HostTime now) const {
    return since_ ? now - *since_ : Duration::zero();
  }
  /// It has happened: a pause is over.
  void happened(HostTime now) {
    longest_ = std::max(longest_, length(now));
    since_ = now;
  }
  /// The pause begins only now: what was before is none that tells anything.
  void begin(HostTime now) { since_ = now; }
  [[nodiscard]] wire::Pause pause(HostTime now) const {
    return {.now = length(now), .longest = longest_};
  }

 private:
  std::optional<HostTime> since_;  ///< When it was last seen to happen.
  Duration longest_{};
};

}  // namespace muster::agent
