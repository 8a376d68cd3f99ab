#include "base/time.h"

#include <fmt/format.h>

#include <ctime>

namespace muster {

std::string format_iso(WallTime wall) {
  using namespace std::chrono;
  const auto ms = floor<milliseconds>(wall.time_since_epoch());
  const auto whole = floor<seconds>(ms);
  const std::time_t stamp = static_cast<std::time_t>(whole.count());
  std::tm parts{};
  gmtime_r(&stamp, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     (ms - whole).count());
}

std::string format_duration(Duration duration) {
  if (duration < Duration::zero()) {
    return "-" + format_duration(-duration);
  }
  const auto us = duration.count();
  if (us < 1'000'000) {
    return fmt::format("{} ms", (us + 500) / 1000);
  }
  if (us < 60'000'000) {
    return fmt::format("{:.1f} s", static_cast<double>(us) / 1e6);
  }
  const auto seconds = us / 1'000'000;
  if (seconds < 3600) {
    return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60)
                             : fmt::format("{} min {} s", seconds / 60, seconds % 60);
  }
  const auto minutes = seconds / 60;
  constexpr int64_t kTwoDays = 2 * 24 * 60;
  if (minutes >= kTwoDays) {
    const auto hours = minutes / 60;
    return hours % 24 == 0 ? fmt::format("{} d", hours / 24)
                           : fmt::format("{} d {} h", hours / 24, hours % 24);
  }
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace muster
