#include "spec/duration_text.h"

#include "base/text.h"
#include "spec/read/number.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace muster::spec {
namespace {

struct Unit {
  std::string_view name;
  int64_t microseconds;
};

constexpr std::array<Unit, 6> kDurationUnits = {{{"us", 1},
                                                 {"ms", 1000},
                                                 {"s", 1000 * 1000},
                                                 {"m", 60LL * 1000 * 1000},
                                                 {"h", 3600LL * 1000 * 1000},
                                                 {"d", 86400LL * 1000 * 1000}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kOtherNames = {
    {{"sec", "s"},
     {"secs", "s"},
     {"second", "s"},
     {"seconds", "s"},
     {"min", "m"},
     {"mins", "m"},
     {"minute", "m"},
     {"minutes", "m"},
     {"hr", "h"},
     {"hrs", "h"},
     {"hour", "h"},
     {"hours", "h"},
     {"day", "d"},
     {"days", "d"},
     {"msec", "ms"},
     {"millis", "ms"},
     {"milliseconds", "ms"}}};

std::optional<int64_t> unit_of(std::string_view name) {
  for (const Unit& unit : kDurationUnits) {
    if (unit.name == name) {
      return unit.microseconds;
    }
  }
  return std::nullopt;
}

/// Returns what the user probably meant: "5min", "30 sec", "1.5h".
std::optional<std::string> suggest_duration(std::string_view text) {
  const std::optional<LooseNumber> loose = read_loose_number(text);
  if (!loose.has_value()) {
    return std::nullopt;
  }
  std::string_view name = loose->rest;
  for (const auto& [other, unit] : kOtherNames) {
    if (name == other) {
      name = unit;
    }
  }
  const std::optional<int64_t> unit = unit_of(name);
  const double microseconds = unit ? loose->value * static_cast<double>(*unit) : 0;
  if (microseconds < 1 || microseconds > 1e15 || microseconds != std::floor(microseconds)) {
    return std::nullopt;
  }
  return duration_text(Duration(static_cast<int64_t>(microseconds)));
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return user_error(fmt::format("`{}` {}", text, why));
  };
  if (text.starts_with('-')) {
    return refuse("is negative; a duration is a whole number and a unit, like 250ms, 15s or 10m");
  }
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view name = text.substr(static_cast<size_t>(end - text.data()));
  if (problem == std::errc::result_out_of_range) {
    return refuse("is too long");
  }
  if (problem == std::errc() && name.empty()) {
    return refuse(fmt::format("has no unit; did you mean `{}s`?", number));
  }
  const std::optional<int64_t> unit = problem == std::errc() ? unit_of(name) : std::nullopt;
  if (!unit.has_value()) {
    if (const auto meant = suggest_duration(text)) {
      return refuse(fmt::format("is not a duration; did you mean `{}`?", *meant));
    }
    return refuse("is not a duration; write a whole number and a unit, like 250ms, 15s or 10m");
  }
  if (number > std::numeric_limits<int64_t>::max() / 4 / *unit) {
    return refuse("is too long");
  }
  return Duration(number * *unit);
}

std::string duration_text(Duration duration) {
  const int64_t count = duration.count();
  if (count == 0) {
    return "0s";
  }
  const Unit* best = &kDurationUnits[0];
  for (const Unit& unit : kDurationUnits) {
    if (count % unit.microseconds == 0) {
      best = &unit;
    }
  }
  return fmt::format("{}{}", count / best->microseconds, best->name);
}

Result<Backoff> parse_backoff(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return user_error(fmt::format("`{}` is not a range of durations like 1s..1m", text));
  }
  Backoff backoff;
  MUSTER_TRY(backoff.low, parse_duration(trim(text.substr(0, dots))));
  MUSTER_TRY(backoff.high, parse_duration(trim(text.substr(dots + 2))));
  if (backoff.low > backoff.high) {
    return user_error(fmt::format("`{}` starts above its end", text));
  }
  return backoff;
}

std::string backoff_text(const Backoff& backoff) {
  return duration_text(backoff.low) + ".." + duration_text(backoff.high);
}

}  // namespace muster::spec
