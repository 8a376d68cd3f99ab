#include "hadoop/yarn/resource.h"

#include <fmt/format.h>

namespace muster::hadoop::yarn {

std::string to_string(const Resource& resource) {
  auto text = fmt::format("{} MB, {} vcores", resource.memory_mb, resource.vcores);
  for (const auto& [name, amount] : resource.others) {
    text += fmt::format(", {} {}{}", name, amount.value, amount.unit);
  }
  return text;
}

}  // namespace muster::hadoop::yarn
