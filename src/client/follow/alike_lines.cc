#include "client/follow/alike_lines.h"

#include "client/follow/progress.h"

#include <fmt/format.h>

#include <utility>

namespace muster::client {
namespace {

constexpr size_t kToldMax = 8;  // All tasks of one host, as a rule.

}  // namespace

bool AlikeLines::tells(const std::string& line) {
  alike_ = same_but_for_numbers(line, last_) ? alike_ + 1 : 1;
  last_ = line;
  if (alike_ <= kToldMax) {
    return true;
  }
  ++untold_;
  return false;
}

bool AlikeLines::ends_with(const std::string& line) const {
  return untold_ > 0 && !same_but_for_numbers(line, last_);
}

std::string AlikeLines::rest() {
  const size_t count = std::exchange(untold_, 0);
  return count == 0   ? ""
         : count == 1 ? last_
                      : fmt::format("{} more like it; the last: {}", count, last_);
}

}  // namespace muster::client
