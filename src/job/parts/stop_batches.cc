#include "job/parts/stop_batches.h"

#include "job/describe.h"
#include "job/parts/turn.h"
#include "job/plan.h"

#include <utility>

namespace muster::job {

StopBatches::StopBatches(const Deps& deps)
    : plan_(deps.plan), turn_(deps.turn), timers_(deps.timers), batch_of_(deps.plan) {}

void StopBatches::begin(std::vector<AttemptId> attempts, Duration grace) {
  const uint32_t id = ++count_;
  if (attempts.empty()) {
    return;
  }
  for (const AttemptId& each : attempts) {
    batch_of_[each.task] = id;
  }
  const auto remaining = static_cast<uint32_t>(attempts.size());
  // An agent lost meanwhile is noticed by its silence.
  batches_[id] = {.timer = timers_.set(BatchTimer{id}, turn_.now + grace + plan_.liveness.lost,
                                       count_of(remaining, "task") + " to end"),
                  .remaining = remaining,
                  .attempts = std::move(attempts)};
}

void StopBatches::leave(TaskId id) {
  const auto batch = batches_.find(std::exchange(batch_of_[id], 0));
  if (batch != batches_.end() && --batch->second.remaining == 0) {
    timers_.clear(batch->second.timer);
    batches_.erase(batch);
  }
}

std::vector<AttemptId> StopBatches::passed(uint32_t batch) {
  auto found = batches_.extract(batch);
  return found.empty() ? std::vector<AttemptId>() : std::move(found.mapped().attempts);
}

void StopBatches::forget() { batches_.clear(); }

}  // namespace muster::job
