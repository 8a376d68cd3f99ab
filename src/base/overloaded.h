#pragma once

#include <concepts>

namespace muster {

/// The cases of a std::visit, one lambda for each alternative:
///
///     std::visit(Overloaded{[](const Left& left) { ... },
///                           [](const Right& right) { ... }}, either);
///
/// An alternative without a case does not compile.
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

/// Alternatives that share a case: `[](const OneOf<Left, Right> auto&) { ... }`.
template <class T, class... Alternatives>
concept OneOf = (std::same_as<T, Alternatives> || ...);

}  // namespace muster
