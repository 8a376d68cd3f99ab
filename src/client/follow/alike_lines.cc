#include "client/follow/alike_lines.h"

#include "client/follow/progress.h"

#include <fmt/format.h>

#include <utility>

namespace muster::client {
namespace {

constexpr size_t kToldMax = 8;  // Usually all tasks of one host.

}  // namespace

std::vector<std::string> AlikeLines::take(const std::string& line) {
  std::vector<std::string> told;
  if (!same_but_for_numbers(line, last_)) {
    told = rest();
    alike_ = 0;
  }
  last_ = line;
  if (++alike_ <= kToldMax) {
    told.push_back(line);
  } else {
    ++untold_;
  }
  return told;
}

std::vector<std::string> AlikeLines::rest() {
  switch (const size_t count = std::exchange(untold_, 0)) {
    case 0:
      return {};
    case 1:
      return {last_};
    default:
      return {fmt::format("{} more like it; the last: {}", count, last_)};
  }
}

}  // namespace muster::client
