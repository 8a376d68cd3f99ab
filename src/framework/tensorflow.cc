#include "base/text.h"
#include "framework/address_book.h"
#include "framework/frameworks.h"
#include "job/elastic.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace muster::framework {
namespace {

/// A parameter-server job has a role `ps`: its coordinator decides, its workers may come and go.
bool has_servers(const spec::Spec& spec) { return find_role(spec, "ps") != nullptr; }

bool is_chief_role(const spec::Spec& spec, const spec::Role& role) {
  if (role.chief) {
    return true;
  }
  for (const spec::Role& other : spec.roles) {
    if (other.chief) {
      return false;
    }
  }
  return role.name == "chief";
}

bool has_chief_role(const spec::Spec& spec) {
  for (const spec::Role& role : spec.roles) {
    if (is_chief_role(spec, role)) {
      return true;
    }
  }
  return false;
}

RoleProposal tensorflow_proposal(const spec::Spec& spec, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  if (!has_servers(spec)) {
    return {.membership = spec::Membership::Static};
  }
  if (role.name == "ps") {
    return {
        .membership = spec::Membership::Static, .success = spec::Success::Ignored, .ranked = false};
  }
  if (is_chief_role(spec, role)) {
    return {.membership = spec::Membership::Static, .success = spec::Success::EndsJob};
  }
  const bool coordinated = has_chief_role(spec);
  return {.membership = spec::Membership::Rejoin,
          .success = coordinated ? spec::Success::Ignored : spec::Success::Required};
}

Status check(const job::Plan& plan) {
  for (const job::RolePlan& role : plan.roles) {
    // TensorFlow rejects such a TF_CONFIG in every task, after all have started.
    if ((role.name == "chief" || role.name == "evaluator") && role.tasks > 1) {
      return user_error(
          fmt::format("roles.{0}.tasks: tensorflow allows at most one {0}, not {1}; rename the "
                      "role if these are workers",
                      role.name, role.tasks));
    }
    if (role.membership == spec::Membership::Elastic && !is_companion(role.name)) {
      return user_error(
          fmt::format("roles.{}.membership: elastic does not work with tensorflow, whose TF_CONFIG "
                      "fixes the number of tasks at the start; use static, which restarts the gang "
                      "with the tasks that it still has, or `tasks` instead of `min` and `max`",
                      role.name));
    }
  }
  if (plan.task_count() > kInlineTasksMax) {
    return user_error(fmt::format(
        "roles: {} tasks are too many for tensorflow, which reads all addresses from the variable "
        "TF_CONFIG; the kernel limits a variable to 128 KiB, which holds at most {} tasks",
        plan.task_count(), kInlineTasksMax));
  }
  return {};
}

/// Strategies count addresses from 0: in a gang that may be smaller they move up. If some keep
/// running while others join, each keeps its own.
bool moves_up(const job::Plan& plan) {
  const auto roles = std::views::iota(size_t{0}, plan.roles.size());
  return std::ranges::any_of(roles, [&](size_t role) {
    return job::changes_together(plan, job::RoleIndex(static_cast<uint16_t>(role)));
  });
}

/// Returns the position of the task among the members of its role.
uint32_t position(const Seat& seat) {
  return static_cast<uint32_t>(std::ranges::count_if(seat.view.members, [&](const auto& member) {
    return member.task.role == seat.self.task.role && member.task.index < seat.self.task.index;
  }));
}

Status add_tensorflow_variables(const Seat& seat, Variables& variables) {
  if (seat.plan.barrier == spec::Barrier::AsGranted && !seat.complete) {
    return {};
  }
  const bool evaluates = seat.role.name == "evaluator";
  const bool dense = moves_up(seat.plan);
  const std::string cluster = cluster_json(
      seat.plan, seat.view, dense ? Gaps::Skip : Gaps::Index, [&](const job::RolePlan& role) {
        return role.name != "tensorboard" && (role.name != "evaluator" || evaluates);
      });
  const uint32_t index = dense ? position(seat) : seat.self.task.index;
  variables["TF_CONFIG"] = fmt::format(R"({{"cluster":{},"task":{{"type":{},"index":{}}}}})",
                                       cluster, json_quote(seat.role.name), index);
  return {};
}

}  // namespace

/// TF_CONFIG for MultiWorkerMirrored, ParameterServer and Estimator strategies.
const Framework kTensorflow = {.name = spec::Framework::Tensorflow,
                               .python_module = "tensorflow",
                               .propose = tensorflow_proposal,
                               .check = check,
                               .add_variables = add_tensorflow_variables};

}  // namespace muster::framework
