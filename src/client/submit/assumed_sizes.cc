#include "client/submit/assumed_sizes.h"

#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

namespace muster::client {
namespace {

/// Adds "WHAT per task", with the names of the roles unless it is all of them; nothing if there are
/// none.
void say(std::vector<std::string>& said, const spec::Spec& spec, std::string_view what,
         const std::vector<std::string>& roles) {
  if (!roles.empty()) {
    said.push_back(
        fmt::format("{} per task{}", what,
                    roles.size() == spec.roles.size() ? "" : " for " + join(roles, ", ")));
  }
}

}  // namespace

std::vector<std::string> assume_sizes(spec::Spec& spec) {
  std::vector<std::string> memory;
  std::vector<std::string> vcores;
  for (const spec::Role& role : spec.roles) {
    if (!role.memory) {
      memory.push_back(role.name);
    }
    if (!role.vcores) {
      vcores.push_back(role.name);
    }
  }
  spec::give_sizes(spec);
  for (spec::Role& role : spec.roles) {
    role.gpus = role.gpus.value_or(0);  // There, nothing is shared.
  }
  std::vector<std::string> said;
  say(said, spec, format_bytes(spec::kContainerMemory) + " of memory", memory);
  say(said, spec, job::count_of(spec::kContainerVcores, "vcore"), vcores);
  return said;
}

}  // namespace muster::client
