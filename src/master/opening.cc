#include "master/opening.h"

#include "eventlog/reader.h"
#include "eventlog/replay.h"

#include <fmt/format.h>

#include <utility>

namespace muster::master {
namespace {

Result<Opened> open_new(const MasterDeps& deps, const MasterOptions& options, job::Epoch epoch) {
  MUSTER_TRY(job::Plan plan, options.plan_of(options.plan_json, options.job.value, options.seed));
  const WallTime now = deps.loop.wall_now();
  Decider::Start start{.machine = job::Machine(std::move(plan)), .clock = JobClock(deps.loop)};
  start.header = {.format = eventlog::kFormat,
                  .machine_version = job::kMachineVersion,
                  .muster_version = options.version,
                  .job_id = options.job.value,
                  .epoch = epoch,
                  .seed = options.seed,
                  .created = now,
                  .plan_json = options.plan_json};
  return Opened{.start = std::move(start), .started = now};
}

Result<Opened> open_again(const MasterDeps& deps, const MasterOptions& options, eventlog::Log log,
                          job::Epoch epoch) {
  MUSTER_TRY_STATUS(eventlog::can_continue(log.header));
  MUSTER_TRY(eventlog::Replayed replayed, eventlog::replay(log, options.plan_of));
  JobClock clock = JobClock::after(deps.loop, replayed.last_at, replayed.last_wall);
  Decider::Start start{.machine = std::move(replayed.machine),
                       .clock = clock,
                       .next_index = replayed.next_index,
                       .header = std::move(log.header)};
  start.header.epoch = epoch;
  start.header.muster_version = options.version;
  start.header.created = deps.loop.wall_now();
  return Opened{.start = std::move(start),
                .records = std::move(log.records),
                .damages = std::move(log.damages),
                .started = replayed.started};
}

/// Returns whether no earlier master wrote anything: each of them died between creating its segment
/// and writing the first batch, so nothing was done either.
Result<bool> nothing_written(eventlog::SegmentStore& segments,
                             const std::vector<job::Epoch>& epochs) {
  for (const job::Epoch epoch : epochs) {
    MUSTER_TRY(const std::string bytes, segments.read(epoch));
    if (!bytes.empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<Opened> open_job(const MasterDeps& deps, const MasterOptions& options) {
  MUSTER_TRY(const std::vector<job::Epoch> epochs, deps.segments.list());
  const job::Epoch epoch(epochs.empty() ? 1 : epochs.back().value + 1);
  // The fence comes first: what is read afterwards is everything that an older master ever
  // released.
  const Status created = deps.segments.create(epoch);
  if (!created) {
    return created.error();
  }
  MUSTER_TRY(const bool fresh, nothing_written(deps.segments, epochs));
  if (fresh) {
    return open_new(deps, options, epoch);
  }
  MUSTER_TRY(eventlog::Log log, eventlog::read_log(deps.segments));
  // The new segment is empty, and reading skipped it as damaged.
  std::erase_if(log.damages, [epoch](const std::string& damage) {
    return damage.starts_with(eventlog::segment_name(epoch));
  });
  return open_again(deps, options, std::move(log), epoch);
}

}  // namespace muster::master
