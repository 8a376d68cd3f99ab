#include "framework/frameworks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace muster::framework {
namespace {

RoleProposal jax_proposal(const spec::Spec&, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  const bool aside = role.success == spec::Success::Ignored;
  return {.membership = aside ? spec::Membership::Independent : spec::Membership::Static,
          .ranked = !aside};
}

/// jax.distributed.initialize() without arguments asks the launchers that it knows for what is
/// missing; it takes variables with these names for Open MPI's. If the task has devices of its own
/// it may use all of them, else the one matching its place on the host, as under that launcher.
void add_launcher_variables(const Seat& seat, size_t rank, Variables& variables) {
  const std::vector<const job::Member*> here = local_ranks(seat, seat.self);
  const auto self = std::ranges::find(here, &seat.self);
  variables["OMPI_MCA_orte_hnp_uri"] = "0.0;tcp://" + endpoint(seat.ranks.front()->address);
  variables["OMPI_COMM_WORLD_SIZE"] = fmt::to_string(seat.ranks.size());
  variables["OMPI_COMM_WORLD_RANK"] = fmt::to_string(rank);
  variables["OMPI_COMM_WORLD_LOCAL_RANK"] = fmt::to_string(self - here.begin());
  if (!seat.context.gpus.empty()) {
    std::string devices = "0";  // Numbered among those that the task sees.
    for (size_t device = 1; device < seat.context.gpus.size(); ++device) {
      devices += "," + fmt::to_string(device);
    }
    variables["JAX_LOCAL_DEVICE_IDS"] = devices;
  }
}

Status add_jax_variables(const Seat& seat, Variables& variables) {
  if (seat.ranks.empty()) {
    return {};
  }
  variables["JAX_COORDINATOR_ADDRESS"] = endpoint(seat.ranks.front()->address);
  variables["JAX_NUM_PROCESSES"] = fmt::to_string(seat.ranks.size());
  if (const std::optional<size_t> rank = seat.rank()) {
    variables["JAX_PROCESS_ID"] = fmt::to_string(*rank);
    add_launcher_variables(seat, *rank, variables);
  }
  return {};
}

}  // namespace

/// jax.distributed.initialize reads the address itself; the other two are for programs that pass
/// them.
const Framework kJax = {.name = spec::Framework::Jax,
                        .python_module = "jax",
                        .propose = jax_proposal,
                        .check = check_collective,
                        .add_variables = add_jax_variables};

}  // namespace muster::framework
