#include "base/text.h"
#include "cluster/local/local_cluster.h"
#include "cluster/local/machine_capacity.h"
#include "job/describe.h"
#include "job/port_need.h"
#include "job/side_program.h"
#include "spec/keys/cluster_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace muster::cluster::local {
namespace {

/// Returns what one container of the role asks for, the same as the job's machine asks: including
/// the agent's share.
Share container_share(const job::RolePlan& role) {
  return {.memory_bytes =
              role.resources.memory_bytes * role.tasks_per_container + job::kAgentMemoryBytes,
          .vcores = role.resources.vcores * role.tasks_per_container,
          .gpus = role.resources.gpus * role.tasks_per_container};
}

uint32_t containers_of(uint32_t tasks, const job::RolePlan& role) {
  return (tasks + role.tasks_per_container - 1) / role.tasks_per_container;
}

Share times(const Share& share, uint32_t count) {
  return {share.memory_bytes * count, share.vcores * count, share.gpus * count};
}

void add(Share& sum, const Share& share) {
  sum.memory_bytes += share.memory_bytes;
  sum.vcores += share.vcores;
  sum.gpus += share.gpus;
}

/// Returns whether the role starts at once, together with the others.
bool starts_with_all(const job::RolePlan& role) {
  return std::ranges::all_of(role.after, [](const job::After& after) {
    return after.condition == spec::Condition::Running;
  });
}

RoleFit fit_role(const job::Plan& plan, const job::RolePlan& role, const Capacity& capacity,
                 const std::vector<Held>& held) {
  RoleFit fit;
  fit.role = role.name;
  fit.containers = containers_of(role.tasks, role);
  Share each = container_share(role);
  each.memory_bytes += job::side_memory_bytes(plan, role);
  fit.each = role.resources;
  fit.each.memory_bytes = each.memory_bytes;
  fit.each.vcores = each.vcores;
  fit.each.gpus = each.gpus;
  if (std::string missing = missing_ever(capacity, each); !missing.empty()) {
    fit.fits_ever = fit.fits_now = false;
    fit.reason = fmt::format("{}: {}", role.name, missing);
    return fit;
  }
  const Wanted wanted{"", "", each};
  if (std::string missing = missing_now(capacity, held, {&wanted, 1}); !missing.empty()) {
    fit.fits_now = false;
    fit.reason = fmt::format("{} waits for {}", role.name, missing);
  }
  return fit;
}

/// Judges the gang as a whole; the verdict is attached to its first role.
void fit_gang(const job::Plan& plan, const Capacity& capacity, const std::vector<Held>& held,
              Fit& fit) {
  Share sum;
  std::vector<std::string> parts;
  for (const job::RolePlan& role : plan.roles) {
    if (starts_with_all(role)) {
      const uint32_t containers = containers_of(role.tasks_min, role);
      add(sum, times(container_share(role), containers));
      sum.memory_bytes += job::side_memory_bytes(plan, role);
      parts.push_back(fmt::format("{} {} of {}", containers, role.name,
                                  format_bytes(container_share(role).memory_bytes)));
    }
  }
  if (fit.roles.empty() || fit.never() != nullptr) {
    return;
  }
  RoleFit& first = fit.roles.front();
  if (const std::string missing = missing_ever(capacity, sum); !missing.empty()) {
    first.fits_ever = first.fits_now = false;
    first.reason = fmt::format("all tasks start together ({}): {}", join(parts, ", "), missing);
    return;
  }
  const Wanted wanted{"", "", sum};
  if (const std::string missing = missing_now(capacity, held, {&wanted, 1}); !missing.empty()) {
    first.fits_now = false;
    first.reason =
        fmt::format("all tasks start together ({}) and wait for {}", join(parts, ", "), missing);
  }
}

/// Judges `network.port_range`: here one range serves the master and everything that starts
/// together.
void fit_ports(const job::Plan& plan, Fit& fit) {
  const std::optional<spec::PortRange>& range = plan.spec.network.port_range;
  if (!range || fit.roles.empty() || fit.never() != nullptr) {
    return;
  }
  const uint64_t have = uint64_t{range->high} - range->low + 1;
  uint64_t needed = 1;
  for (const job::RolePlan& role : plan.roles) {
    if (starts_with_all(role)) {
      needed +=
          containers_of(role.tasks_min, role) + uint64_t{role.tasks_min} * job::ports_of_task(role);
    }
  }
  if (needed > have) {
    RoleFit& first = fit.roles.front();
    first.fits_ever = first.fits_now = false;
    first.reason = fmt::format(
        "network.port_range: {}-{} has {}, and the master, the containers and their tasks that "
        "start together need {} on this machine",
        range->low, range->high, job::count_of(have, "port"), needed);
  }
}

/// Returns "", or " for ps, eval" if only some roles leave something open.
std::string for_roles(const job::Plan& plan, const std::vector<std::string>& roles) {
  return roles.size() == plan.roles.size() ? "" : " for " + join(roles, ", ");
}

/// Says what tasks that ask for nothing get: the same as if started by hand.
std::vector<std::string> assumptions(const job::Plan& plan, const os::Hardware& hardware) {
  std::vector<std::string> unlimited;
  std::vector<std::string> sharing;
  std::map<uint32_t, std::vector<std::string>> cores;
  for (const job::RolePlan& role : plan.roles) {
    if (role.resources.memory_bytes == 0) {
      unlimited.push_back(role.name);
    }
    if (role.resources.vcores == 0) {
      cores[job::cores_per_task(plan, role, hardware.cores)].push_back(role.name);
    }
    if (role.shares_gpus && !hardware.gpus.empty()) {
      sharing.push_back(role.name);
    }
  }
  std::vector<std::string> said;
  if (!unlimited.empty()) {
    said.push_back(fmt::format("no memory limit but the machine's {}{}",
                               format_bytes(hardware.memory_bytes), for_roles(plan, unlimited)));
  }
  for (const auto& [count, roles] : cores) {
    said.push_back(
        fmt::format("{} per task{}", job::count_of(count, "core"), for_roles(plan, roles)));
  }
  if (!sharing.empty()) {
    said.push_back(fmt::format("the machine's {}, shared{}",
                               job::count_of(hardware.gpus.size(), "GPU"),
                               for_roles(plan, sharing)));
  }
  return said;
}

/// Warns about a job that mentions no GPUs on a machine that has some: it would not see them.
void warn_of_hidden_gpus(const job::Plan& plan, const os::Hardware& hardware, Fit& fit) {
  const bool silent = std::ranges::all_of(
      plan.spec.roles, [](const spec::Role& role) { return !role.gpus.has_value(); });
  if (!hardware.gpus.empty() && silent && !plan.spec.local.share_gpus) {
    fit.warnings.push_back(fmt::format(
        "this machine has {}, and no role asks for any, so tasks see none: set `gpus`, or "
        "`local.share_gpus: true` to share them all",
        job::count_of(hardware.gpus.size(), "GPU")));
  }
}

}  // namespace

std::string describe(const os::Hardware& hardware) {
  return fmt::format(
      "{} of memory, {}, {}", format_bytes(hardware.memory_bytes),
      job::count_of(hardware.cores, "core"),
      hardware.gpus.empty() ? std::string("no GPUs") : job::count_of(hardware.gpus.size(), "GPU"));
}

Fit fit_plan(const job::Plan& plan, const os::Hardware& hardware, const std::vector<Held>& held) {
  const Capacity capacity = capacity_of(hardware, plan.spec.local.strict_vcores);
  Fit fit;
  fit.capacity = "this machine: " + describe(hardware);
  uint32_t vcores = 0;
  for (const job::RolePlan& role : plan.roles) {
    fit.roles.push_back(fit_role(plan, role, capacity, held));
    vcores += starts_with_all(role) ? role.resources.vcores * role.tasks_min : 0;
  }
  if (plan.barrier == spec::Barrier::Gang) {
    fit_gang(plan, capacity, held, fit);
    fit_ports(plan, fit);
  }
  fit.assumed = assumptions(plan, hardware);
  warn_of_hidden_gpus(plan, hardware, fit);
  if (vcores > hardware.cores && !capacity.strict_vcores) {
    fit.warnings.push_back(fmt::format("{} on a machine with {}: tasks share them",
                                       job::count_of(vcores, "vcore"),
                                       job::count_of(hardware.cores, "core")));
  }
  std::ranges::move(spec::unheeded_warnings(plan.spec, spec::ClusterType::Local),
                    std::back_inserter(fit.warnings));
  return fit;
}

}  // namespace muster::cluster::local
