#include "cluster/yarn/yarn_link.h"

#include <fmt/format.h>

/// What YarnLink says of requests with a placement constraint.
namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

/// As the user wrote it; "" for none.
std::string YarnLink::constraint_of(job::RoleIndex role) const {
  const job::Plan& plan = *options_.plan;
  const spec::Role* const found = spec::find_role(plan.spec, plan.role(role).name);
  return found == nullptr ? std::string() : found->constraint;
}

/// Only a placement processor rejects, after some tries; the scheduler lets a request wait.
void YarnLink::take_rejected(const rm::RejectedRequest& rejected) {
  const auto found = open_.find(rejected.request.allocation);
  if (found == open_.end()) {
    return;
  }
  const job::RequestContainer request = found->second;
  open_.erase(found);
  const std::string constraint = constraint_of(request.role);
  const std::string_view words = rejected.reason == rm::RejectionReason::CouldNotPlace
                                     ? "could not place on node"
                                     : "could not schedule on node";
  tell(job::RequestRefused{
      request.request, job::RefusalKind::Transient,
      constraint.empty() ? std::string(words) : fmt::format("{} (`{}`)", words, constraint)});
}

}  // namespace muster::cluster::yarn
