#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace muster {

/// Returns the median of `values`, which must not be empty; for an even number, the upper of the
/// two in the middle.
template <class Value>
[[nodiscard]] Value median(std::vector<Value> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace muster
