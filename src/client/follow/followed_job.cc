#include "client/follow/followed_job.h"

namespace muster::client {

Result<bool> FollowedJob::begin(const wire::ClientWelcome& welcome) {
  if (machine_) {
    return false;
  }
  MUSTER_TRY(job::Plan plan, make_plan_(welcome.plan_json, welcome.job_id, welcome.seed));
  machine_.emplace(std::move(plan));
  return true;
}

bool FollowedJob::take(const wire::FactLogged& logged) {
  if (!machine_ || logged.index < next_index_) {
    return false;
  }
  next_index_ = logged.index + 1;
  (void)machine_->apply(logged.at, logged.fact);
  return true;
}

}  // namespace muster::client
