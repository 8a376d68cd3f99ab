#include "scalars/scalar.h"

#include "base/text.h"

#include <algorithm>

namespace muster::scalars {

bool is_name(std::string_view name) {
  const auto is_control = [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte < 0x20 || byte == 0x7f;
  };
  // printable() makes the remaining ones visible: the control characters beyond ASCII.
  return !name.empty() && name.size() <= kNameBytesMax && std::ranges::none_of(name, is_control) &&
         !find_invalid_utf8(name) && printable(name) == name;
}

std::optional<WallTime> wall_time_of(double seconds) {
  constexpr double kYear2000 = 946684800;
  constexpr double kYear2100 = 4102444800;
  if (!(seconds >= kYear2000 && seconds < kYear2100)) {
    return std::nullopt;
  }
  return WallTime(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)));
}

}  // namespace muster::scalars
