#pragma once

#include "metrics/series.h"

#include <cstdint>
#include <optional>
#include <span>

namespace muster::metrics {

/// How a value rose, steadily and without an end in sight.
struct Rise {
  double from = 0;
  double to = 0;
  int64_t span_s = 0;  ///< From where it was `from` to where it was `to`.
};

/// Finds a rise: when the time is cut into six parts, the median of each is above that of the one
/// before, and the last third rises at least half as fast as the first. What fills up once and then
/// stays, what goes up and down, and what was seen for less than half a minute or 20 times, does
/// not count. `points` are by time; values that are not finite are ignored.
[[nodiscard]] std::optional<Rise> steady_rise(std::span<const Point> points);

}  // namespace muster::metrics
