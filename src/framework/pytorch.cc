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
  // The same under the names used by DeepSpeed's launcher.
  variables["LOCAL_SIZE"] = variables["LOCAL_WORLD_SIZE"];
  variables["CROSS_RANK"] = variables["GROUP_RANK"];
  variables["CROSS_SIZE"] = variables["GROUP_WORLD_SIZE"];
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
  // Rank 0 serves the store itself; no launcher does.
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  return {};
}

/// What torchrun takes for options that it was not given: a torchrun started by a task is a node
/// among those of the other ranks, and they meet where the ranks would. Defaults only: the user's
/// own win.
void add_pytorch_defaults(const Seat& seat, Variables& defaults) {
  const std::optional<size_t> rank = seat.rank();
  if (!rank) {
    return;
  }
  const job::Address& master = seat.ranks.front()->address;
  defaults["PET_NNODES"] = fmt::to_string(seat.ranks.size());
  defaults["PET_NODE_RANK"] = fmt::to_string(*rank);
  defaults["PET_MASTER_ADDR"] = master.host;
  defaults["PET_MASTER_PORT"] = fmt::to_string(master.port);
  defaults["PET_RDZV_ID"] = seat.plan.job.value;
  if (seat.role.resources.gpus > 0) {
    defaults["PET_NPROC_PER_NODE"] = fmt::to_string(seat.role.resources.gpus);
  }
  // As with torchrun: a rank whose collective has failed ends instead of hanging.
  defaults["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "1";
}

}  // namespace

/// What torchrun sets, so that init_method env:// and the libraries above it work unchanged.
const Framework kPytorch = {.name = spec::Framework::Pytorch,
                            .python_module = "torch",
                            .gpu_sight = GpuSight::Container,
                            .propose = pytorch_proposal,
                            .check = check_collective,
                            .add_variables = add_pytorch_variables,
                            .add_defaults = add_pytorch_defaults};

}  // namespace muster::framework
