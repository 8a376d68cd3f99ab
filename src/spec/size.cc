#include "spec/size.h"

#include "spec/read/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace muster::spec {
namespace {

constexpr std::string_view kSizeUnits = "bkmgt";
constexpr Bytes kMax = std::numeric_limits<int64_t>::max();

std::optional<unsigned> shift_of(char unit) {
  const size_t at = kSizeUnits.find(unit);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  return static_cast<unsigned>(10 * at);
}

/// Returns what the user probably meant: "2gb", "2 GiB", "2G", "1.5g".
std::optional<std::string> suggest_size(std::string_view text) {
  const std::optional<LooseNumber> loose = read_loose_number(text);
  if (!loose.has_value()) {
    return std::nullopt;
  }
  // "2gb", "2gib", "2gi" (Kubernetes), "2 gigs", "512 megabytes".
  static constexpr std::array<std::string_view, 18> kEndings = {
      "",         "b",       "i",        "ib",      "ytes",     "yte",
      "ig",       "igs",     "eg",       "egs",     "erabyte",  "igabyte",
      "igabytes", "egabyte", "egabytes", "ilobyte", "ilobytes", "erabytes"};
  const std::string_view unit = loose->rest;
  const bool known = !unit.empty() && std::ranges::find(kEndings, unit.substr(1)) != kEndings.end();
  const std::optional<unsigned> shift = known ? shift_of(unit[0]) : std::nullopt;
  const double bytes = shift ? loose->value * std::exp2(*shift) : 0;
  if (bytes < 1 || bytes > 1e15 || bytes != std::floor(bytes)) {
    return std::nullopt;
  }
  return format_size(static_cast<Bytes>(bytes));
}

}  // namespace

Result<Bytes> parse_size(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return user_error(fmt::format("`{}` {}", text, why));
  };
  if (text.starts_with('-')) {
    return refuse("is negative; a size is a whole number and a unit, like 512m or 2g");
  }
  Bytes number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (problem == std::errc::result_out_of_range) {
    return refuse("is too large");
  }
  if (problem == std::errc() && unit.empty()) {
    return refuse(fmt::format("has no unit; did you mean `{}m` or `{}g`?", number, number));
  }
  const std::optional<unsigned> shift =
      problem == std::errc() && unit.size() == 1 ? shift_of(unit[0]) : std::nullopt;
  if (!shift.has_value()) {
    if (const auto meant = suggest_size(text)) {
      return refuse(fmt::format("is not a size; did you mean `{}`?", *meant));
    }
    return refuse("is not a size; write a whole number and a unit, like 512m or 2g");
  }
  if (number > (kMax >> *shift)) {
    return refuse("is too large");
  }
  return number << *shift;
}

std::string format_size(Bytes bytes) {
  size_t unit = 0;
  while (unit + 1 < kSizeUnits.size() && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kSizeUnits[unit]);
}

}  // namespace muster::spec
