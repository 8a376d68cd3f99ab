#include "hadoop/yarn/resource.h"

#include <fmt/format.h>

namespace muster::hadoop::yarn {

void add(Resource& sum, const Resource& more) {
  sum.memory_mb += more.memory_mb;
  sum.vcores += more.vcores;
  for (const auto& [name, amount] : more.others) {
    sum.others[name].value += amount.value;
  }
}

void take_off(Resource& from, const Resource& less) {
  from.memory_mb -= less.memory_mb;
  from.vcores -= less.vcores;
  for (const auto& [name, amount] : less.others) {
    from.others[name].value -= amount.value;
  }
}

int64_t amount_of(const Resource& resource, const std::string& name) {
  const auto found = resource.others.find(name);
  return found == resource.others.end() ? 0 : found->second.value;
}

std::string to_string(const Resource& resource) {
  auto text = fmt::format("{} MB, {} vcores", resource.memory_mb, resource.vcores);
  for (const auto& [name, amount] : resource.others) {
    text += fmt::format(", {} {}{}", name, amount.value, amount.unit);
  }
  return text;
}

}  // namespace muster::hadoop::yarn
