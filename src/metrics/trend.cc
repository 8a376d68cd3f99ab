#include "metrics/trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace muster::metrics {
namespace {

constexpr size_t kParts = 6;
constexpr int64_t kSpanMinS = 30;
constexpr size_t kPointsMin = 12;
/// Of the mean: what a part has to rise by, so that one that stands still is noticed.
constexpr double kPartMin = 0.2;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::optional<Rise> steady_rise(std::span<const Point> points) {
  if (points.size() < kPointsMin || points.back().time_s - points.front().time_s < kSpanMinS) {
    return std::nullopt;
  }
  const int64_t begin = points.front().time_s;
  const int64_t span = points.back().time_s - begin + 1;
  std::array<std::vector<double>, kParts> parts;
  for (const Point& point : points) {
    if (std::isfinite(point.value)) {
      parts[static_cast<size_t>((point.time_s - begin) * static_cast<int64_t>(kParts) / span)]
          .push_back(point.value);
    }
  }
  std::array<double, kParts> medians{};
  for (size_t i = 0; i < kParts; ++i) {
    if (parts[i].empty()) {
      return std::nullopt;
    }
    medians[i] = median(parts[i]);
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
  return Rise{.from = medians[0],
              .to = medians[kParts - 1],
              .span_s = span * static_cast<int64_t>(kParts - 1) / static_cast<int64_t>(kParts)};
}

}  // namespace muster::metrics
