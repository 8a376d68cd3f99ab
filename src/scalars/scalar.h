#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::scalars {

/// One number that a program reports about itself. The value may be NaN or infinite: a diverging
/// loss is what people look for.
struct Scalar {
  std::string name;  ///< As the program calls it: "loss", "train/accuracy"; within is_name().
  double value = 0;
  std::optional<int64_t> step;
  std::optional<WallTime> at;  ///< By the program's own clock, which may be wrong.
  bool operator==(const Scalar&) const = default;
};

/// Bytes that a name may have: with `user.` before it, it is one of 200 at most.
inline constexpr size_t kNameBytesMax = 190;

/// Returns whether a name can be kept: 1 to kNameBytesMax bytes of UTF-8 without control
/// characters. Escaping markup is up to those who show names.
[[nodiscard]] bool is_name(std::string_view name);

/// Returns `seconds` since 1970 as a time; nullopt for anything that is not a time of this century
/// (NaN included).
[[nodiscard]] std::optional<WallTime> wall_time_of(double seconds);

}  // namespace muster::scalars
