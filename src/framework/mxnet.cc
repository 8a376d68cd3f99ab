#include "framework/frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::framework {
namespace {

constexpr std::string_view kScheduler = "scheduler";
constexpr std::string_view kServer = "server";
constexpr std::string_view kWorker = "worker";

/// Scheduler and servers run until the workers, for whom they are there, have ended. They count
/// among the tasks if the user makes the job wait for them.
RoleProposal mxnet_proposal(const spec::Spec&, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  if (role.name == kScheduler || role.name == kServer) {
    const bool waited_for = role.success && *role.success != spec::Success::Ignored;
    return {.membership = spec::Membership::Static,
            .success = spec::Success::Ignored,
            .ranked = waited_for};
  }
  return {.membership = spec::Membership::Static};
}

Status check_mxnet_role(const job::RolePlan& role) {
  constexpr std::array kRoles = {kScheduler, kServer, kWorker};
  if (std::ranges::find(kRoles, role.name) == kRoles.end()) {
    return user_error(
        fmt::format("roles.{}: the roles of an mxnet job are scheduler, server and worker, plus "
                    "evaluator and tensorboard",
                    role.name));
  }
  if (role.membership == spec::Membership::Elastic || role.membership == spec::Membership::Rejoin) {
    return user_error(fmt::format(
        "roles.{}.membership: {} does not work with mxnet, whose scheduler counts servers and "
        "workers once, at the start; use static",
        role.name, to_string(role.membership)));
  }
  return {};
}

Status check_mxnet(const job::Plan& plan) {
  for (const std::string_view name : {kScheduler, kServer, kWorker}) {
    if (!plan.find_role(std::string(name))) {
      return user_error(fmt::format(
          "roles: an mxnet job needs a role {}; its roles are scheduler, server and worker", name));
    }
  }
  for (const job::RolePlan& role : plan.roles) {
    if (!is_companion(role.name)) {
      MUSTER_TRY_STATUS(check_mxnet_role(role));
    }
    if (role.name == kScheduler && role.tasks != 1) {
      return user_error(
          fmt::format("roles.scheduler.tasks: must be 1 with mxnet, not {}", role.tasks));
    }
  }
  if (plan.barrier == spec::Barrier::AsGranted) {
    return user_error(
        "barrier: as_granted does not work with mxnet: before they start, all must know the "
        "scheduler's address; use gang");
  }
  return {};
}

/// Returns how many of a role there are now: a gang of min to max may have started with fewer.
std::string members_of(const Seat& seat, std::string_view name) {
  return fmt::to_string(std::ranges::count_if(seat.view.members, [&](const job::Member& member) {
    return seat.plan.roles[member.task.role.value].name == name;
  }));
}

Status add_mxnet_variables(const Seat& seat, Variables& variables) {
  if (is_companion(seat.role.name)) {
    return {};
  }
  const auto scheduler = std::ranges::find_if(seat.view.members, [&](const job::Member& member) {
    return seat.plan.roles[member.task.role.value].name == kScheduler;
  });
  if (scheduler == seat.view.members.end()) {
    return bug("an mxnet job starts without its scheduler");
  }
  variables["DMLC_ROLE"] = seat.role.name;
  variables["DMLC_PS_ROOT_URI"] = scheduler->address.host;
  variables["DMLC_PS_ROOT_PORT"] = fmt::to_string(scheduler->address.port);
  variables["DMLC_LOCAL"] = "0";
  variables["DMLC_NUM_SERVER"] = members_of(seat, kServer);
  variables["DMLC_NUM_WORKER"] = members_of(seat, kWorker);
  return {};
}

}  // namespace

/// What MXNet's parameter server reads, in each of its three roles.
const Framework kMxnet = {.name = spec::Framework::Mxnet,
                          .python_module = "mxnet",
                          .propose = mxnet_proposal,
                          .check = check_mxnet,
                          .add_variables = add_mxnet_variables};

}  // namespace muster::framework
