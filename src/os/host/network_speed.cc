#include "os/host/network_speed.h"

#include "base/text.h"
#include "os/host/proc_text.h"

#include <filesystem>
#include <system_error>

namespace muster::os {

std::optional<uint64_t> read_network_speed(const Path& interfaces) {
  constexpr uint64_t kBytesPerMegabit = 1'000'000 / 8;
  std::error_code failed;
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(interfaces, failed)) {
    const Path& place = entry.path();
    // Bridges, tunnels and the ends of containers' links carry only what the devices carry.
    if (!std::filesystem::exists(place / "device", failed) ||
        trim(read_proc(place / "operstate")) != "up") {
      continue;
    }
    const std::string text = read_proc(place / "speed");
    const std::optional<uint64_t> megabits = parse_decimal(trim(text));
    if (!megabits || *megabits == 0) {
      return std::nullopt;
    }
    sum += *megabits * kBytesPerMegabit;
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

}  // namespace muster::os
