#include "eventlog/segment_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::eventlog {
namespace {

constexpr std::string_view kEnding = ".log";

}  // namespace

std::string segment_name(job::Epoch epoch) { return fmt::format("{:06}{}", epoch.value, kEnding); }

std::optional<job::Epoch> parse_segment_name(std::string_view name) {
  if (!name.ends_with(kEnding)) {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(0, name.size() - kEnding.size());
  job::Epoch epoch;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), epoch.value);
  if (error != std::errc() || epoch.value == 0 || segment_name(epoch) != name) {
    return std::nullopt;
  }
  return epoch;
}

}  // namespace muster::eventlog
