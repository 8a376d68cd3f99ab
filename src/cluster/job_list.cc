#include "cluster/job_list.h"

#include "base/text.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace muster::cluster {

std::strong_ordering ListPlace::operator<=>(const ListPlace& other) const {
  if (ended != other.ended) {
    return ended ? std::strong_ordering::greater : std::strong_ordering::less;
  }
  if (submitted != other.submitted) {
    // Newest first.
    return submitted > other.submitted ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return id <=> other.id;
}

std::string to_text(const ListPlace& place) {
  return fmt::format("{}:{}:{}", place.ended ? 1 : 0, place.submitted.time_since_epoch().count(),
                     place.id);
}

Result<ListPlace> parse_list_place(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  int64_t count = 0;
  if (parts.size() == 3 && (parts[0] == "0" || parts[0] == "1")) {
    const std::string_view digits = parts[1];
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error == std::errc() && end == digits.data() + digits.size() && !digits.empty()) {
      return ListPlace{.ended = parts[0] == "1",
                       .submitted = WallTime(Duration(count)),
                       .id = std::string(parts[2])};
    }
  }
  return user_error(fmt::format("\"{}\" is not a place in a list of jobs", printable(text)));
}

}  // namespace muster::cluster
