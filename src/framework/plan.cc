#include "framework/plan.h"

#include "framework/framework.h"
#include "framework/rendezvous.h"
#include "framework/tensorboard.h"
#include "job/describe.h"
#include "job/port_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace muster::framework {
namespace {

/// An incomplete gang gives back what it holds after this long without a grant.
constexpr Duration kGangHold = std::chrono::minutes(2);

job::RestartBudget budget_of(const spec::Restart& restart) {
  return {.process = restart.process,
          .container = restart.container.value_or(spec::kMovesUnset),
          .host = restart.host.value_or(spec::kMovesUnset),
          .job = restart.job,
          .infrastructure = restart.infrastructure,
          .window = restart.window,
          .backoff_low = restart.backoff.low,
          .backoff_high = restart.backoff.high,
          .container_for_program = restart.container.has_value(),
          .host_for_program = restart.host.has_value()};
}

Result<job::RoleIndex> index_of(const spec::Spec& spec, const std::string& name,
                                std::string_view key) {
  const auto role = std::ranges::find(spec.roles, name, &spec::Role::name);
  if (role == spec.roles.end()) {
    return user_error(fmt::format("{}: there is no role {}", key, name));
  }
  return job::RoleIndex(static_cast<uint16_t>(role - spec.roles.begin()));
}

Status add_order(const spec::Spec& spec, const spec::Role& role, job::RolePlan& plan) {
  const std::string key = fmt::format("roles.{}.after", role.name);
  for (const spec::After& after : role.after) {
    MUSTER_TRY(const job::RoleIndex index, index_of(spec, after.role, key));
    plan.after.push_back({index, after.condition});
  }
  if (!role.deadline_after) {
    return {};
  }
  job::GroupDeadline deadline{
      .roles = {}, .in = role.deadline_after->in, .then = role.deadline_after->then};
  for (const std::string& name : role.deadline_after->roles) {
    MUSTER_TRY(const job::RoleIndex index,
               index_of(spec, name, fmt::format("roles.{}.deadline_after", role.name)));
    deadline.roles.push_back(index);
  }
  plan.deadline_after = std::move(deadline);
  return {};
}

spec::Membership membership_of(const spec::Role& role, const RoleProposal& proposal) {
  if (role.membership) {
    return *role.membership;
  }
  const bool ranges = role.min && role.max && *role.min < *role.max;
  const bool together = proposal.membership == spec::Membership::Static;
  return ranges && !together ? spec::Membership::Elastic : proposal.membership;
}

Status check_role(const job::RolePlan& role) {
  const bool elastic = role.membership == spec::Membership::Elastic;
  const bool may_range = elastic || role.membership == spec::Membership::Static;
  if (!may_range && role.tasks_min != role.tasks) {
    return user_error(fmt::format(
        "roles.{}: min and max need membership elastic or static, not {}; use `tasks` instead",
        role.name, to_string(role.membership)));
  }
  if (elastic && role.tasks_min == role.tasks) {
    return user_error(
        fmt::format("roles.{}.membership: elastic needs a min that is less than max", role.name));
  }
  if (role.success == spec::Success::Ignored && role.failure == spec::Failure::Tolerated) {
    return user_error(
        fmt::format("roles.{}: `failure: tolerated` counts failures of required tasks, but success "
                    "is ignored; use `failure: ignored`",
                    role.name));
  }
  return {};
}

/// Takes the user's policies, and the framework's if the user left them open. A role that the user
/// makes the job wait for does not keep a proposal to ignore its failure.
void add_policies(const spec::Role& role, const RoleProposal& proposal, job::RolePlan& plan) {
  plan.membership = membership_of(role, proposal);
  plan.success = role.success.value_or(proposal.success);
  plan.failure = role.failure.value_or(proposal.failure);
  if (!role.failure && role.success && *role.success != spec::Success::Ignored &&
      plan.failure == spec::Failure::Ignored) {
    plan.failure = spec::Failure::FailsJob;
  }
  const bool set_aside = role.success == spec::Success::Ignored;
  plan.ranked = proposal.ranked && !set_aside;
}

Result<job::RolePlan> plan_role(const spec::Spec& spec, const spec::Role& role,
                                const Framework& framework) {
  job::RolePlan plan{
      .name = role.name,
      .tasks = role.max.value_or(role.tasks),
      .tasks_min = role.min.value_or(role.tasks),
      .tasks_per_container = role.tasks_per_container,
      .resources = {.memory_bytes = role.memory.value_or(0),
                    .vcores = role.vcores.value_or(0),
                    .gpus = role.gpus.value_or(0),
                    .other = role.resources},
      .shares_gpus = spec::shares_gpus(spec, role),
      .node_label = role.node_label,
      .restart = budget_of(settings_of(spec, role).restart),
      .stall = {.after = settings_of(spec, role).stall.after,
                .then = settings_of(spec, role).stall.then},
      .after = {},
      .deadline_after = {},
      .ports = role.ports,
  };
  add_policies(role, framework.propose(spec, role), plan);
  MUSTER_TRY_STATUS(add_order(spec, role, plan));
  MUSTER_TRY_STATUS(check_role(plan));
  return plan;
}

std::optional<job::TaskId> chief_of(const spec::Spec& spec) {
  auto role = std::ranges::find(spec.roles, true, &spec::Role::chief);
  for (const std::string_view name : {"chief", "worker"}) {
    if (role == spec.roles.end()) {
      role = std::ranges::find(spec.roles, name, &spec::Role::name);
    }
  }
  if (role == spec.roles.end()) {
    return std::nullopt;
  }
  return job::TaskId{job::RoleIndex(static_cast<uint16_t>(role - spec.roles.begin())), 0};
}

job::LivenessPlan liveness_of(const spec::Liveness& liveness, Duration orphan) {
  return {.beat = liveness.beat,
          .suspect = liveness.suspect,
          .lost = liveness.lost,
          .orphan = liveness.orphan.value_or(orphan)};
}

/// A range of ports must be large enough for what one host needs at least: the master and any one
/// container.
Status check_ports(const job::Plan& plan) {
  const std::optional<spec::PortRange>& range = plan.spec.network.port_range;
  if (!range) {
    return {};
  }
  const uint32_t have = uint32_t{range->high} - range->low + 1;
  for (const job::RolePlan& role : plan.roles) {
    const uint32_t needed = 1 + job::ports_of_container(role);
    if (needed > have) {
      return user_error(
          fmt::format("network.port_range: {}-{} has {}, and the master and a container of {} need "
                      "{}: one each, "
                      "and {} for each task of the container",
                      range->low, range->high, job::count_of(have, "port"), role.name, needed,
                      job::ports_of_task(role)));
    }
  }
  return {};
}

}  // namespace

Result<job::Plan> plan(const spec::Spec& spec, const PlanContext& context) {
  const Framework* framework = find_framework(spec.framework);
  if (framework == nullptr) {
    return user_error(
        fmt::format("framework: {} is not supported by this version of Muster; with generic, "
                    "programs find their peers' addresses in MUSTER_VIEW",
                    to_string(spec.framework)));
  }
  job::Plan plan{.job = context.job,
                 .seed = context.seed,
                 .name = spec.name,
                 .framework = spec.runtime.name.empty() ? std::string(to_string(spec.framework))
                                                        : spec.runtime.name,
                 .barrier = spec.barrier.value_or(framework->barrier),
                 .roles = {},
                 .chief = chief_of(spec),
                 .deadlines = {.queue = spec.deadlines.queue,
                               .gather = spec.deadlines.gather,
                               .join = spec.deadlines.join,
                               .run = spec.deadlines.run,
                               .stop = spec.deadlines.stop},
                 .liveness = liveness_of(spec.liveness, context.orphan),
                 .gang = {},
                 .stop_on_first_failure = spec.stop_on_first_failure,
                 .chief_failure_fails_job = spec.chief_failure_fails_job,
                 .spec = spec};
  for (const std::string& host : spec.hosts.avoid) {
    plan.hosts_to_avoid.emplace_back(host);
  }
  for (const spec::Role& role : spec.roles) {
    MUSTER_TRY(job::RolePlan role_plan, plan_role(spec, role, *framework));
    plan.roles.push_back(std::move(role_plan));
  }
  if (plan.barrier == spec::Barrier::Gang && plan.task_count() > 1) {
    plan.gang.hold = kGangHold;
  }
  plan.gives_new_ports_on_restart = std::ranges::none_of(plan.roles, [](const job::RolePlan& role) {
    return role.membership == spec::Membership::Rejoin;
  });
  if (spec.tensorboard && !plan.chief && !plan.find_role("tensorboard")) {
    return user_error(
        "tensorboard: TensorBoard runs beside the chief, and this job has no chief; set `chief: "
        "true` in a role");
  }
  if (framework->has_tensorboard || spec.tensorboard) {
    add_tensorboard_port(plan);
  }
  if (framework->has_rendezvous) {
    add_rendezvous_port(plan);
  }
  MUSTER_TRY_STATUS(check_ports(plan));
  MUSTER_TRY_STATUS(framework->check(plan));
  return plan;
}

}  // namespace muster::framework
