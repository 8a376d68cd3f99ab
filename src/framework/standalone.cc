#include "framework/frameworks.h"

namespace muster::framework {
namespace {

RoleProposal propose(const spec::Spec&, const spec::Role& role) {
  return is_companion(role.name) ? companion_proposal() : RoleProposal{};
}

Status add_variables(const Seat&, Variables&) { return {}; }

}  // namespace

/// Programs that know nothing of each other: each starts as soon as it can.
const Framework kStandalone = {.name = spec::Framework::Standalone,
                               .python_module = "",
                               .barrier = spec::Barrier::AsGranted,
                               .has_tensorboard = false,
                               .propose = propose,
                               .check = accept_plan,
                               .add_variables = add_variables};

}  // namespace muster::framework
