#include "cluster/team_jobs.h"

#include "spec/spec.h"
#include "spec/write/serialize.h"

#include <chrono>

namespace muster::cluster {

void take_plan(const eventlog::PlanFile& plan, TeamJob& job) {
  job.on = plan.on;
  job.submitted = plan.submitted;
  const Result<spec::Spec> spec = spec::parse_json(plan.spec_json);
  if (spec) {
    job.name = spec->name;
    job.queue = spec->yarn.queue;
    job.viewers = spec->yarn.acl_view;
  }
}

Result<std::vector<eventlog::HostShare>> hosts_so_far(const eventlog::Log& log,
                                                      const eventlog::PlanOf& plan_of) {
  MUSTER_TRY(const eventlog::Replayed replayed, eventlog::replay(log, plan_of));
  return eventlog::host_shares(replayed.machine.state());
}

void take_summary(const eventlog::Summary& summary, TeamJob& job) {
  job.ended = true;
  job.state = summary.result;
  job.class_name = summary.class_name;
  job.tasks = summary.tasks;
  job.duration = std::chrono::milliseconds(summary.duration_ms);
  job.hosts = summary.hosts;
}

}  // namespace muster::cluster
