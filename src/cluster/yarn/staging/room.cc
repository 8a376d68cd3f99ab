#include "cluster/yarn/staging/room.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

std::string amount(const rm::Resource& resource) {
  std::string text = fmt::format("{} MB and {} vcores", resource.memory_mb, resource.vcores);
  for (const auto& [name, other] : resource.others) {
    if (other.value > 0) {
      text += fmt::format(" and {} {}", other.value, name);
    }
  }
  return text;
}

bool holds(const rm::Resource& room, const rm::Resource& ask) {
  return room.memory_mb >= ask.memory_mb && room.vcores >= ask.vcores &&
         std::ranges::all_of(ask.others, [&](const auto& other) {
           const auto found = room.others.find(other.first);
           return other.second.value <= 0 ||
                  (found != room.others.end() && found->second.value >= other.second.value);
         });
}

rm::Resource left_of(const rm::Resource& all, const rm::Resource& used) {
  rm::Resource left = all;
  left.memory_mb -= used.memory_mb;
  left.vcores -= used.vcores;
  for (auto& [name, other] : left.others) {
    const auto found = used.others.find(name);
    other.value -= found == used.others.end() ? 0 : found->second.value;
  }
  return left;
}

rm::Resource in_steps(rm::Resource ask, int64_t step_mb) {
  if (step_mb > 0) {
    ask.memory_mb = (ask.memory_mb + step_mb - 1) / step_mb * step_mb;
  }
  return ask;
}

}  // namespace muster::cluster::yarn
