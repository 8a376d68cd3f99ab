#include "spec/spec.h"

#include <algorithm>

namespace muster::spec {

RoleSettings settings_of(const Spec& spec, const Role& role) {
  RoleSettings settings;
  settings.command = role.command.value_or(spec.command.value_or(""));
  settings.env = role.env;
  settings.env.insert(spec.env.begin(), spec.env.end());
  settings.files = role.files.value_or(spec.files);
  settings.python = role.python.has_value() ? role.python : spec.python;
  settings.restart = role.restart.value_or(spec.restart);
  settings.stall = role.stall.value_or(spec.stall);
  return settings;
}

void give_sizes(Spec& spec) {
  for (Role& role : spec.roles) {
    role.memory = role.memory.value_or(kContainerMemory);
    role.vcores = role.vcores.value_or(kContainerVcores);
  }
}

bool shares_gpus(const Spec& spec, const Role& role) {
  const bool claimed =
      std::ranges::any_of(spec.roles, [](const Role& each) { return each.gpus.value_or(0) > 0; });
  return spec.local.share_gpus && !claimed && !role.gpus.has_value();
}

std::string place_of(const File& file) {
  std::string_view path = file.as.empty() ? file.src : file.as;
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return std::string(file.as.empty() ? path.substr(path.rfind('/') + 1) : path);
}

const Role* find_role(const Spec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.roles, name, &Role::name);
  return found == spec.roles.end() ? nullptr : &*found;
}

}  // namespace muster::spec
