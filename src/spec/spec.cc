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
  return settings;
}

const Role* find_role(const Spec& spec, std::string_view name) {
  const auto found = std::ranges::find(spec.roles, name, &Role::name);
  return found == spec.roles.end() ? nullptr : &*found;
}

}  // namespace muster::spec
