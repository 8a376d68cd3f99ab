#include "hadoop/conf_value.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace muster::hadoop {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::optional<int64_t> whole(std::string_view digits, int base) {
  if (digits.starts_with('+')) {
    digits.remove_prefix(1);
    if (digits.starts_with('-')) {
      return std::nullopt;
    }
  }
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

struct TimeUnit {
  std::string_view suffix;
  int64_t nanoseconds;
};

constexpr std::array<TimeUnit, 7> kTimeUnits{{
    // The longer suffixes first: "ms" also ends in "s".
    {"ns", 1},
    {"us", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
}};

}  // namespace

std::optional<bool> parse_flag(std::string_view text) {
  const std::string word = lower(trim(text));
  if (word == "true") {
    return true;
  }
  if (word == "false") {
    return false;
  }
  return std::nullopt;
}

std::optional<int64_t> parse_number(std::string_view text) {
  text = trim(text);
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? text.substr(1) : text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    if (digits.size() == 2 || digits[2] == '-' || digits[2] == '+') {
      return std::nullopt;
    }
    const std::optional<int64_t> value = whole(digits.substr(2), 16);
    return value && negative ? -*value : value;
  }
  return whole(text, 10);
}

std::optional<int64_t> parse_size(std::string_view text) {
  text = trim(text);
  constexpr std::string_view kUnits = "kmgtpe";
  const std::string unit = text.empty() ? std::string() : lower(text.substr(text.size() - 1));
  const size_t at = unit.empty() ? std::string_view::npos : kUnits.find(unit);
  if (at == std::string_view::npos) {
    return parse_number(text);
  }
  const std::optional<int64_t> count = whole(trim(text.substr(0, text.size() - 1)), 10);
  const int64_t factor = int64_t{1} << (10 * (at + 1));
  if (!count || *count > std::numeric_limits<int64_t>::max() / factor ||
      *count < std::numeric_limits<int64_t>::min() / factor) {
    return std::nullopt;
  }
  return *count * factor;
}

std::optional<Duration> parse_duration(std::string_view text, Duration unit) {
  const std::string word = lower(trim(text));
  std::string_view digits = word;
  int64_t nanoseconds = std::chrono::nanoseconds(unit).count();
  for (const TimeUnit& candidate : kTimeUnits) {
    if (word.ends_with(candidate.suffix)) {
      nanoseconds = candidate.nanoseconds;
      digits.remove_suffix(candidate.suffix.size());
      break;
    }
  }
  const std::optional<int64_t> count = whole(digits, 10);
  if (!count) {
    return std::nullopt;
  }
  // Waits of centuries (some write 2^63 - 1 for "never") become the longest we can hold.
  constexpr int64_t kLongest = std::numeric_limits<int64_t>::max();
  const int64_t limit = kLongest / nanoseconds;
  if (*count > limit) {
    return nanoseconds >= 1000 && *count <= kLongest / (nanoseconds / 1000)
               ? Duration(*count * (nanoseconds / 1000))
               : Duration::max();
  }
  if (*count < -limit) {
    return Duration::min();
  }
  return Duration(*count * nanoseconds / 1000);
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view part : split(text, ',')) {
    if (!trim(part).empty()) {
      out.emplace_back(trim(part));
    }
  }
  return out;
}

std::optional<net::HostPort> parse_address(std::string_view text, uint16_t default_port) {
  text = trim(text);
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    text = text.substr(scheme + 3);
    text = text.substr(0, text.find('/'));
  }
  if (text.empty() || text.find_first_of("/ \t@?#") != std::string_view::npos) {
    return std::nullopt;
  }
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) {
    return std::nullopt;
  }
  const bool has_port = text.find(':', bracket) != std::string_view::npos;
  if (has_port) {
    const Result<net::HostPort> parsed = net::parse_host_port(text);
    return parsed ? std::optional(*parsed) : std::nullopt;
  }
  if (default_port == 0) {
    return std::nullopt;
  }
  const Result<net::HostPort> parsed =
      net::parse_host_port(std::string(text) + ":" + std::to_string(default_port));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

}  // namespace muster::hadoop
