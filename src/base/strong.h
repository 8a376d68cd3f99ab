#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace muster {

/// A value that cannot be mixed up with another of the same representation. `Tag` is any type.
/// Ordered and hashable; `value` is public because it is plain data.
template <class Tag, class Representation>
struct Strong {
  Representation value{};

  constexpr Strong() = default;
  constexpr explicit Strong(Representation v) : value(std::move(v)) {}

  constexpr auto operator<=>(const Strong&) const = default;
  constexpr bool operator==(const Strong&) const = default;
};

}  // namespace muster

template <class Tag, class Representation>
struct std::hash<muster::Strong<Tag, Representation>> {
  size_t operator()(const muster::Strong<Tag, Representation>& strong) const noexcept {
    return std::hash<Representation>{}(strong.value);
  }
};
