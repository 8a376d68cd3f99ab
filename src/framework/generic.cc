#include "framework/frameworks.h"

namespace muster::framework {
namespace {

RoleProposal generic_proposal(const spec::Spec&, const spec::Role& role) {
  return is_companion(role.name) ? companion_proposal() : RoleProposal{};
}

Status add_generic_variables(const Seat&, Variables&) { return {}; }

}  // namespace

/// Programs that find their peers through MUSTER_VIEW, if they need them at all.
const Framework kGeneric = {.name = spec::Framework::Generic,
                            .python_module = "",
                            .propose = generic_proposal,
                            .check = accept_plan,
                            .add_variables = add_generic_variables};

}  // namespace muster::framework
