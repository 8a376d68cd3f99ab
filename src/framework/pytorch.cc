#include "framework/frameworks.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::framework {
namespace {

RoleProposal pytorch_proposal(const spec::Spec&, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  const bool aside = role.success == spec::Success::Ignored;
  return {.membership = aside ? spec::Membership::Independent : spec::Membership::Static,
          .ranked = !aside};
}

void add_rank(const Seat& seat, size_t rank, Variables& variables) {
  const std::vector<const job::Member*> local = local_ranks(seat, seat.self);
  const std::vector<job::ContainerId> groups = rank_groups(seat);
  const auto local_rank = std::ranges::find(local, &seat.self) - local.begin();
  const auto group_rank =
      std::ranges::find(groups, rank_group_of(seat, seat.self)) - groups.begin();
  const auto in_role = [&](const job::Member* one) {
    return one->task.role == seat.self.task.role;
  };
  const auto first = seat.ranks.begin();
  const auto role_rank = std::count_if(first, first + static_cast<ptrdiff_t>(rank), in_role);
  variables["RANK"] = fmt::to_string(rank);
  variables["LOCAL_RANK"] = fmt::to_string(local_rank);
  variables["LOCAL_WORLD_SIZE"] = fmt::to_string(local.size());
  variables["GROUP_RANK"] = fmt::to_string(group_rank);
  variables["GROUP_WORLD_SIZE"] = fmt::to_string(groups.size());
  variables["ROLE_NAME"] = seat.role.name;
  variables["ROLE_RANK"] = fmt::to_string(role_rank);
  variables["ROLE_WORLD_SIZE"] = fmt::to_string(std::ranges::count_if(seat.ranks, in_role));
}

Status add_pytorch_variables(const Seat& seat, Variables& variables) {
  if (seat.ranks.empty()) {
    return {};
  }
  const job::Address& master = seat.ranks.front()->address;
  const std::string world = fmt::to_string(seat.ranks.size());
  variables["MASTER_ADDR"] = master.host;
  variables["MASTER_PORT"] = fmt::to_string(master.port);
  variables["INIT_METHOD"] = "tcp://" + endpoint(master);
  variables["WORLD_SIZE"] = world;
  variables["WORLD"] = world;
  const std::optional<size_t> rank = seat.rank();
  if (!rank) {
    return {};
  }
  add_rank(seat, *rank, variables);
  const job::RestartBudget& budget = seat.role.restart;
  variables["TORCHELASTIC_RUN_ID"] = seat.plan.job.value;
  variables["TORCHELASTIC_RESTART_COUNT"] = fmt::to_string(seat.view.generation.value - 1);
  variables["TORCHELASTIC_MAX_RESTARTS"] =
      fmt::to_string(budget.process + budget.container + budget.host);
  // Rank 0 serves the store itself; there is no launcher that does.
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  return {};
}

}  // namespace

/// What torchrun sets, so that init_method env:// and the libraries above it work unchanged.
const Framework kPytorch = {.name = spec::Framework::Pytorch,
                            .python_module = "torch",
                            .gpu_sight = GpuSight::Container,
                            .propose = pytorch_proposal,
                            .check = check_collective,
                            .add_variables = add_pytorch_variables};

}  // namespace muster::framework
