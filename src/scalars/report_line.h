#pragma once

#include "base/result.h"
#include "scalars/scalar.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::scalars {

/// What one line of a program's report says.
struct Report {
  std::optional<int64_t> step;
  std::optional<int64_t> max_steps;
  std::vector<Scalar> scalars;  ///< With the line's step and time.
  bool operator==(const Report&) const = default;
};

/// Bytes that a line may have, without its end.
inline constexpr size_t kLineBytesMax = 16U << 10U;
/// Numbers that a line may have.
inline constexpr size_t kLineScalarsMax = 64;

/// Reads a line of the report socket, a JSON object of numbers:
///
///     {"step": 120, "loss": 0.25, "accuracy": 0.91, "max_steps": 1000, "time": 1700000000.5}
///
/// All names but `step`, `max_steps` and `time` (seconds since 1970) are the program's own. A value
/// is a number, true or false, or one of NaN, Infinity and -Infinity, bare or as a string; null is
/// left out. An error says what is wrong with the line and what is accepted; then nothing of the
/// line counts.
[[nodiscard]] Result<Report> parse_report_line(std::string_view line);

}  // namespace muster::scalars
