#pragma once

#include "base/error.h"

#include <expected>
#include <utility>

namespace muster {

/// A value or an Error. Ignoring one does not compile.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using Base = std::expected<T, Error>;
  using Base::Base;
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is the point.
  Result(Base base) : Base(std::move(base)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is the point.
  Result(Error error) : Base(std::unexpected(std::move(error))) {}
};

/// Success or an Error, where there is no value.
template <>
class [[nodiscard]] Result<void> : public std::expected<void, Error> {
 public:
  using Base = std::expected<void, Error>;
  using Base::Base;
  // NOLINTNEXTLINE(google-explicit-constructor): `return value;` is the point.
  Result(Base base) : Base(std::move(base)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): `return error;` is the point.
  Result(Error error) : Base(std::unexpected(std::move(error))) {}
};

using Status = Result<void>;

}  // namespace muster

/// Evaluates `expression` (a Result); on an error returns it from the enclosing function, else
/// declares `variable` as its value. The enclosing function must return a Result.
// NOLINTBEGIN(bugprone-macro-parentheses): `variable` is a declaration.
#define MUSTER_TRY(variable, expression) \
  MUSTER_TRY_IMPL(MUSTER_CONCAT(muster_try_, __LINE__), variable, expression)
#define MUSTER_TRY_IMPL(temporary, variable, expression) \
  auto temporary = (expression);                         \
  if (!temporary.has_value()) {                          \
    return std::move(temporary).error();                 \
  }                                                      \
  variable = std::move(temporary).value()
// NOLINTEND(bugprone-macro-parentheses)

/// Like MUSTER_TRY for a Status: returns the error, if any, from the enclosing function.
#define MUSTER_TRY_STATUS(expression)                                    \
  do {                                                                   \
    if (auto muster_status = (expression); !muster_status.has_value()) { \
      return std::move(muster_status).error();                           \
    }                                                                    \
  } while (false)

#define MUSTER_CONCAT(a, b) MUSTER_CONCAT_IMPL(a, b)
#define MUSTER_CONCAT_IMPL(a, b) a##b
