#pragma once

#include "metrics/series.h"

#include <optional>
#include <vector>

namespace muster::agent {

/// Returns the reading of this metric; nullopt if there is none.
inline std::optional<double> value_of(const std::vector<metrics::Reading>& readings,
                                      metrics::Builtin metric) {
  for (const metrics::Reading& each : readings) {
    if (each.metric == metric) {
      return each.value;
    }
  }
  return std::nullopt;
}

}  // namespace muster::agent
