#include "cluster/team_jobs.h"

#include "eventlog/local_segment_store.h"
#include "eventlog/segment_store.h"
#include "spec/spec.h"
#include "spec/write/serialize.h"

#include <algorithm>
#include <chrono>

namespace muster::cluster {
namespace {

/// How much of each text in a job's own files is kept for a list.
constexpr size_t kTeamTextMax = 256;
constexpr size_t kTeamViewersBytesMax = 16U << 10;
constexpr size_t kTeamViewerCost = 32;  ///< Besides the name's own bytes.
constexpr size_t kTeamHostsMax = 10'000;

std::string kept_of(const std::string& text) { return text.substr(0, kTeamTextMax); }

/// Viewers beyond the limit are not kept.
std::vector<std::string> kept_viewers(const std::vector<std::string>& named) {
  std::vector<std::string> kept;
  size_t bytes = 0;
  for (const std::string& viewer : named) {
    bytes += viewer.size() + kTeamViewerCost;
    if (bytes > kTeamViewersBytesMax) {
      break;
    }
    kept.push_back(viewer);
  }
  return kept;
}

}  // namespace

void take_plan(const eventlog::PlanFile& plan, TeamJob& job) {
  job.on = kept_of(plan.on);
  job.submitted = plan.submitted;
  const Result<spec::Spec> spec = spec::parse_json(plan.spec_json);
  if (spec) {
    job.name = kept_of(spec->name);
    job.queue = kept_of(spec->yarn.queue);
    job.viewers = kept_viewers(spec->yarn.acl_view);
  }
}

uint64_t log_bytes_of(os::Files& files, const JobFolder& folder) {
  eventlog::LocalSegmentStore store(nullptr, files, folder.events());
  const Result<std::vector<job::Epoch>> epochs = store.list();
  uint64_t bytes = 0;
  for (const job::Epoch epoch : epochs.value_or(std::vector<job::Epoch>())) {
    const Result<os::FileStat> segment =
        files.stat(folder.events() / eventlog::segment_name(epoch));
    bytes += segment ? segment->size_bytes : 0;
  }
  return bytes;
}

Result<std::vector<eventlog::HostShare>> hosts_so_far(const eventlog::Log& log,
                                                      const eventlog::PlanOf& plan_of) {
  MUSTER_TRY(const eventlog::Replayed replayed, eventlog::replay(log, plan_of));
  return eventlog::host_shares(replayed.machine.state());
}

void take_summary(const eventlog::Summary& summary, TeamJob& job) {
  job.ended = true;
  job.state = kept_of(summary.result);
  job.class_name = kept_of(summary.class_name);
  job.tasks = summary.tasks;
  job.duration = std::chrono::milliseconds(summary.duration_ms);
  job.hosts.assign(summary.hosts.begin(),
                   summary.hosts.begin() +
                       static_cast<std::ptrdiff_t>(std::min(summary.hosts.size(), kTeamHostsMax)));
  std::erase_if(job.hosts, [](const auto& host) { return host.host.size() > kTeamTextMax; });
}

}  // namespace muster::cluster
