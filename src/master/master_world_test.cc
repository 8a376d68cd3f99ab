#include "master/master_world_test.h"

namespace muster::master {

Result<job::Plan> two_workers(const std::string&, const std::string& job, uint64_t seed) {
  job::Plan plan;
  plan.job = job::JobId(job);
  plan.seed = seed;
  plan.name = "pair";
  plan.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
  return plan;
}

Result<job::Plan> coupled_workers(const std::string& plan_json, const std::string& job,
                                  uint64_t seed) {
  MUSTER_TRY(job::Plan plan, two_workers(plan_json, job, seed));
  plan.roles[0].membership = spec::Membership::Static;
  return plan;
}

}  // namespace muster::master
