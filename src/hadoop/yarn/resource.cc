#include "hadoop/yarn/resource.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::hadoop::yarn {

std::string to_string(const Resource& resource) {
  auto text = fmt::format("{} MB, {} vcores", resource.memory_mb, resource.vcores);
  for (const auto& [name, amount] : resource.others) {
    text += fmt::format(", {} {}{}", name, amount.value, amount.unit);
  }
  return text;
}

std::vector<std::string> unknown_types(const Resource& asked,
                                       const std::vector<ResourceType>& known) {
  std::vector<std::string> unknown;
  for (const auto& [name, amount] : asked.others) {
    const auto same = [&](const ResourceType& type) { return type.name == name; };
    if (amount.value > 0 && std::ranges::none_of(known, same)) {
      unknown.push_back(name);
    }
  }
  return unknown;
}

}  // namespace muster::hadoop::yarn
