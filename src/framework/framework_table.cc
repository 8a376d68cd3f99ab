#include "framework/framework.h"
#include "framework/frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::framework {

const Framework* find_framework(spec::Framework name) {
  static constexpr std::array<const Framework*, 7> kTable = {
      &kGeneric, &kStandalone, &kTensorflow, &kPytorch, &kJax, &kMxnet, &kHorovod,
  };
  const auto row = std::ranges::find(kTable, name, [](const Framework* one) { return one->name; });
  return row == kTable.end() ? nullptr : *row;
}

std::string_view python_module(const spec::Spec& spec) {
  if (!spec.runtime.module.empty()) {
    return spec.runtime.module;
  }
  const Framework* row = find_framework(spec.framework);
  return row == nullptr ? std::string_view{} : row->python_module;
}

bool is_companion(std::string_view role_name) {
  return role_name == "evaluator" || role_name == "tensorboard";
}

RoleProposal companion_proposal() {
  return {.membership = spec::Membership::Independent,
          .success = spec::Success::Ignored,
          .failure = spec::Failure::Ignored,
          .ranked = false};
}

Status accept_plan(const job::Plan&) { return {}; }

Status check_collective(const job::Plan& plan) {
  if (plan.barrier == spec::Barrier::AsGranted) {
    return user_error(
        fmt::format("barrier: as_granted does not work with {}: before they start, its ranks must "
                    "know how many they are and the address of rank 0; use gang",
                    plan.framework));
  }
  bool ranked = false;
  for (const job::RolePlan& role : plan.roles) {
    ranked = ranked || role.ranked;
    if (role.ranked && role.membership == spec::Membership::Rejoin) {
      return user_error(
          fmt::format("roles.{}.membership: rejoin does not work with {}: a rank cannot come back "
                      "while the others run; use static or elastic",
                      role.name, plan.framework));
    }
  }
  if (!ranked) {
    return user_error(fmt::format(
        "roles: {} needs a role that takes part in the training, one whose success is not ignored",
        plan.framework));
  }
  return {};
}

}  // namespace muster::framework
