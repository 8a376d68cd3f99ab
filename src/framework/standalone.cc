#include "framework/frameworks.h"

namespace muster::framework {
namespace {

RoleProposal standalone_proposal(const spec::Spec&, const spec::Role& role) {
  return is_companion(role.name) ? companion_proposal() : RoleProposal{};
}

Status add_standalone_variables(const Seat&, Variables&) { return {}; }

}  // namespace

/// Programs that know nothing about each other: each starts as soon as it can.
const Framework kStandalone = {.name = spec::Framework::Standalone,
                               .python_module = "",
                               .barrier = spec::Barrier::AsGranted,
                               .has_tensorboard = false,
                               .propose = standalone_proposal,
                               .check = accept_plan,
                               .add_variables = add_standalone_variables};

}  // namespace muster::framework
