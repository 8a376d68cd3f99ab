#include "scalars/report_line.h"

#include "base/text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

namespace muster::scalars {
namespace {

namespace json = boost::json;

/// How much of a wrong name or value an error shows.
constexpr size_t kShownBytesMax = 40;

std::string shown(std::string_view name) {
  return printable(name.size() <= kShownBytesMax
                       ? std::string(name)
                       : std::string(name.substr(0, kShownBytesMax)) + "...");
}

/// Returns `line` with the bare words for values that JSON cannot express as numbers turned into
/// strings: Python's `json` and others write them.
std::string quote_bare_words(std::string_view line) {
  std::string quoted;
  bool in_text = false;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_text && c == '\\' && at + 1 < line.size()) {
      quoted += c;
      quoted += line[++at];
      continue;
    }
    in_text = c == '"' ? !in_text : in_text;
    bool found = false;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (!in_text && !found && line.substr(at).starts_with(word)) {
        quoted += fmt::format("\"{}\"", word);
        at += word.size() - 1;
        found = true;
      }
    }
    if (!found) {
      quoted += c;
    }
  }
  return quoted;
}

std::optional<double> number_of_word(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "NaN" || word == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (word == "Infinity" || word == "inf") {
    return kInfinity;
  }
  if (word == "-Infinity" || word == "-inf") {
    return -kInfinity;
  }
  return std::nullopt;
}

std::optional<double> number_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::int64:
      return static_cast<double>(value.get_int64());
    case json::kind::uint64:
      return static_cast<double>(value.get_uint64());
    case json::kind::double_:
      return value.get_double();
    case json::kind::bool_:
      return value.get_bool() ? 1 : 0;
    case json::kind::string:
      return number_of_word(value.get_string());
    case json::kind::null:
    case json::kind::array:
    case json::kind::object:
      break;
  }
  return std::nullopt;
}

Result<int64_t> count_of(std::string_view name, const json::value& value) {
  if (value.is_int64() && value.get_int64() >= 0) {
    return value.get_int64();
  }
  // Many programs count in floating point.
  constexpr double kExact = 9007199254740992;
  if (value.is_double() && value.get_double() >= 0 && value.get_double() <= kExact &&
      std::trunc(value.get_double()) == value.get_double()) {
    return static_cast<int64_t>(value.get_double());
  }
  return user_error(fmt::format("{} must be a whole number, 0 or more", name));
}

Status take_member(std::string_view name, const json::value& value, Report& report,
                   std::optional<WallTime>& at) {
  if (value.is_null()) {
    return {};
  }
  if (name == "step" || name == "max_steps") {
    MUSTER_TRY(const int64_t count, count_of(name, value));
    (name == "step" ? report.step : report.max_steps) = count;
    return {};
  }
  const std::optional<double> number = number_of(value);
  if (!number) {
    return user_error(
        fmt::format("the value of {} must be a number, NaN, Infinity or -Infinity", shown(name)));
  }
  if (name == "time") {
    at = wall_time_of(*number);
    return at ? Status() : user_error("time must be in seconds since 1970, as in 1700000000.5");
  }
  if (!is_name(name)) {
    return user_error(
        fmt::format("`{}` cannot be a name: a name has 1 to {} bytes of UTF-8 without control "
                    "characters",
                    shown(name), kNameBytesMax));
  }
  if (report.scalars.size() == kLineScalarsMax) {
    return user_error(fmt::format("more than {} numbers in one line", kLineScalarsMax));
  }
  report.scalars.push_back({.name = std::string(name), .value = *number, .step = {}, .at = {}});
  return {};
}

}  // namespace

Result<Report> parse_report_line(std::string_view line) {
  if (line.size() > kLineBytesMax) {
    return user_error(fmt::format("a line may have {} bytes at most", kLineBytesMax));
  }
  if (find_invalid_utf8(line)) {
    return user_error("the line is not valid UTF-8");
  }
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 4;
  const json::value value = json::parse(quote_bare_words(line), error, {}, options);
  if (error || !value.is_object()) {
    return user_error(
        R"(the line must be a JSON object of numbers, as in {"step": 120, "loss": 0.25})");
  }
  Report report;
  std::optional<WallTime> at;
  for (const auto& [name, member] : value.get_object()) {
    MUSTER_TRY_STATUS(take_member(name, member, report, at));
  }
  for (Scalar& scalar : report.scalars) {
    scalar.step = report.step;
    scalar.at = at;
  }
  return report;
}

}  // namespace muster::scalars
