#include "metrics/trend.h"

#include "base/median.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace muster::metrics {
namespace {

constexpr size_t kParts = 6;
constexpr int64_t kSpanMinS = 30;
constexpr size_t kPointsMin = 12;
/// How much each part must rise, as a share of the mean rise, so that a standstill is noticed.
constexpr double kPartMin = 0.2;

/// A sixth of the time, and what was seen in it.
struct Sixth {
  std::vector<double> values;
  std::vector<int64_t> times_s;
};

}  // namespace

std::optional<Rise> steady_rise(std::span<const Point> points) {
  if (points.size() < kPointsMin || points.back().time_s - points.front().time_s < kSpanMinS) {
    return std::nullopt;
  }
  const int64_t begin = points.front().time_s;
  const int64_t span = points.back().time_s - begin + 1;
  std::array<Sixth, kParts> parts;
  for (const Point& point : points) {
    if (std::isfinite(point.value)) {
      Sixth& part =
          parts[static_cast<size_t>((point.time_s - begin) * static_cast<int64_t>(kParts) / span)];
      part.values.push_back(point.value);
      part.times_s.push_back(point.time_s);
    }
  }
  std::array<double, kParts> medians{};
  for (size_t i = 0; i < kParts; ++i) {
    if (parts[i].values.empty()) {
      return std::nullopt;
    }
    medians[i] = median(std::move(parts[i].values));
  }
  const double least = kPartMin * (medians[kParts - 1] - medians[0]) / (kParts - 1);
  for (size_t i = 1; i < kParts; ++i) {
    if (least <= 0 || medians[i] - medians[i - 1] < least) {
      return std::nullopt;
    }
  }
  const double first = medians[2] - medians[0];
  const double last = medians[kParts - 1] - medians[kParts - 3];
  if (last < first / 2) {
    return std::nullopt;
  }
  // By the samples' own times: a part that was sampled rarely, as on a busy host, has its middle
  // elsewhere.
  return Rise{
      .from = medians[0],
      .to = medians[kParts - 1],
      .span_s = median(std::move(parts[kParts - 1].times_s)) - median(std::move(parts[0].times_s))};
}

}  // namespace muster::metrics
