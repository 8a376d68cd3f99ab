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

}  // namespace muster::master
