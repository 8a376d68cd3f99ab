#include "framework/frameworks.h"

#include <fmt/format.h>

namespace muster::framework {
namespace {

RoleProposal propose(const spec::Spec&, const spec::Role& role) {
  if (is_companion(role.name)) {
    return companion_proposal();
  }
  const bool aside = role.success == spec::Success::Ignored;
  return {.membership = aside ? spec::Membership::Independent : spec::Membership::Static,
          .ranked = !aside};
}

Status add_variables(const Seat& seat, Variables& variables) {
  if (seat.ranks.empty()) {
    return {};
  }
  variables["JAX_COORDINATOR_ADDRESS"] = endpoint(seat.ranks.front()->address);
  variables["JAX_NUM_PROCESSES"] = fmt::to_string(seat.ranks.size());
  if (const std::optional<size_t> rank = seat.rank()) {
    variables["JAX_PROCESS_ID"] = fmt::to_string(*rank);
  }
  return {};
}

}  // namespace

/// jax.distributed.initialize reads the address itself; programs pass it the other two.
const Framework kJax = {.name = spec::Framework::Jax,
                        .python_module = "jax",
                        .propose = propose,
                        .check = check_collective,
                        .add_variables = add_variables};

}  // namespace muster::framework
