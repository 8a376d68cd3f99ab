#include "framework/frameworks.h"

namespace muster::framework {
namespace {

RoleProposal propose(const spec::Spec&, const spec::Role& role) {
  return is_companion(role.name) ? companion_proposal() : RoleProposal{};
}

Status add_variables(const Seat&, Variables&) { return {}; }

}  // namespace

/// Programs that find their peers by MUSTER_VIEW, if they need them at all.
const Framework kGeneric = {.name = spec::Framework::Generic,
                            .python_module = "",
                            .propose = propose,
                            .check = accept_plan,
                            .add_variables = add_variables};

}  // namespace muster::framework
