#include "client/show/state_text.h"

#include "base/text.h"
#include "client/follow/console.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {

std::string_view colour_of(std::string_view word) {
  if (word == "succeeded" || word == "running" || word == "active") {
    return "32";
  }
  if (word == "failed" || word == "lost") {
    return "31";
  }
  return "33";
}

std::string cell(std::string_view text, size_t width, bool colour) {
  const std::string padded = fmt::format("{:<{}}", text, width);
  return colour && !text.empty() ? paint(padded, colour_of(text), true) : padded;
}

std::string age_of(WallTime then, WallTime now) {
  return format_duration(std::max(Duration::zero(), now - then));
}

}  // namespace muster::client
