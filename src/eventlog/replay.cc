#include "eventlog/replay.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::eventlog {

Result<Replayed> replay(const Log& log, const PlanOf& plan_of) {
  MUSTER_TRY(job::Plan plan, plan_of(log.header.plan_json, log.header.job_id, log.header.seed));
  Replayed replayed{.machine = job::Machine(std::move(plan)), .last_wall = log.header.created};
  if (!log.records.empty()) {
    const Record& first = log.records.front();
    replayed.started = first.wall - first.at.time_since_epoch();
  } else {
    replayed.started = log.header.created;
  }
  for (const Record& record : log.records) {
    replayed.last_at = std::max(replayed.last_at, record.at);
    replayed.last_wall = record.wall;
    replayed.next_index = record.index + 1;
    // What was to be done at that time is done, or will be requested again after MasterRecovered.
    std::ignore = replayed.machine.apply(replayed.last_at, record.fact);
  }
  return replayed;
}

Status can_continue(const Header& header) {
  if (header.machine_version == job::kMachineVersion) {
    return {};
  }
  return Error{
      Errc::Unsupported, Blame::User,
      fmt::format("the job was started by Muster {} (state machine version {}), but this binary "
                  "has version {}: only the binary that started the job can continue it",
                  header.muster_version, header.machine_version, job::kMachineVersion)};
}

}  // namespace muster::eventlog
