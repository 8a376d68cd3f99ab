#include "framework/frameworks.h"
#include "framework/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace muster::framework {
namespace {

RoleProposal horovod_proposal(const spec::Spec&, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  const bool aside = role.success == spec::Success::Ignored;
  return {.membership = aside ? spec::Membership::Independent : spec::Membership::Static,
          .ranked = !aside};
}

Status check_horovod(const job::Plan& plan) {
  MUSTER_TRY_STATUS(check_collective(plan));
  for (const job::RolePlan& role : plan.roles) {
    if (role.ranked && role.membership == spec::Membership::Elastic) {
      return user_error(
          fmt::format("roles.{}.membership: elastic does not work with horovod, whose ranks are "
                      "assigned once, at the start; `framework: horovod-elastic` is for programs "
                      "that use hvd.elastic.run, and with `membership: static`, min and max, the "
                      "gang restarts with the tasks that it still has",
                      role.name));
    }
  }
  return {};
}

/// Returns the name under which the ranks of one group meet: their host's, made unique if several
/// groups are on one host.
std::string host_name(const Seat& seat) {
  const std::string& host = seat.self.address.host;
  std::set<job::ContainerId> groups;
  for (const job::Member* member : seat.ranks) {
    if (member->address.host == host) {
      groups.insert(rank_group_of(seat, *member));
    }
  }
  if (groups.size() <= 1) {
    return host;
  }
  const std::vector<job::ContainerId> all = rank_groups(seat);
  return fmt::format("{}-{}", host,
                     std::ranges::find(all, rank_group_of(seat, seat.self)) - all.begin());
}

Status add_horovod_variables(const Seat& seat, Variables& variables) {
  const std::optional<size_t> rank = seat.rank();
  if (!rank) {
    return {};
  }
  const job::Address& first = seat.ranks.front()->address;
  const auto port = first.named_ports.find(std::string(kRendezvousPort));
  if (port == first.named_ports.end()) {
    return bug("rank 0 of a horovod job has no port for its rendezvous");
  }
  const std::vector<const job::Member*> local = local_ranks(seat, seat.self);
  const auto local_rank = static_cast<size_t>(std::ranges::find(local, &seat.self) - local.begin());
  const Cross cross = cross_of(seat).value_or(Cross{});
  variables["HOROVOD_RANK"] = fmt::to_string(*rank);
  variables["HOROVOD_SIZE"] = fmt::to_string(seat.ranks.size());
  variables["HOROVOD_LOCAL_RANK"] = fmt::to_string(local_rank);
  variables["HOROVOD_LOCAL_SIZE"] = fmt::to_string(local.size());
  variables["HOROVOD_CROSS_RANK"] = fmt::to_string(cross.rank);
  variables["HOROVOD_CROSS_SIZE"] = fmt::to_string(cross.size);
  variables["HOROVOD_HOSTNAME"] = host_name(seat);
  variables["HOROVOD_CONTROLLER"] = "gloo";
  variables["HOROVOD_CPU_OPERATIONS"] = "gloo";
  variables["HOROVOD_GLOO_RENDEZVOUS_ADDR"] = first.host;
  variables["HOROVOD_GLOO_RENDEZVOUS_PORT"] = fmt::to_string(port->second);
  if (!seat.context.interface.empty()) {
    variables["HOROVOD_GLOO_IFACE"] = seat.context.interface;
  }
  return {};
}

/// How long a rank looks for the others, which may have to unpack or compile something first:
/// longer than horovodrun's half a minute.
void add_horovod_defaults(const Seat&, Variables& defaults) {
  defaults["HOROVOD_GLOO_TIMEOUT_SECONDS"] = "300";
}

}  // namespace

/// What horovodrun sets for Gloo. The rendezvous is served next to rank 0 (src/inside).
const Framework kHorovod = {.name = spec::Framework::Horovod,
                            .python_module = "horovod",
                            .gpu_sight = GpuSight::Container,
                            .has_rendezvous = true,
                            .propose = horovod_proposal,
                            .check = check_horovod,
                            .add_variables = add_horovod_variables,
                            .add_defaults = add_horovod_defaults};

}  // namespace muster::framework
