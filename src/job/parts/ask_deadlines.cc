#include "job/parts/ask_deadlines.h"

#include "job/parts/budget.h"
#include "job/parts/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace muster::job {

AskDeadlines::AskDeadlines(const Deps& deps)
    : plan_(deps.plan), turn_(deps.turn), timers_(deps.timers), refusals_(deps.plan.roles.size()) {}

void AskDeadlines::begin_queue() {
  if (plan_.deadlines.queue) {
    queue_ = timers_.set(QueueTimer{}, turn_.now + *plan_.deadlines.queue, "the first container");
  }
}

void AskDeadlines::granted(RoleIndex role) {
  refusals_[role.value] = 0;
  timers_.clear(queue_);
}

Timer<AskTimer> AskDeadlines::refused(const Request& request, const std::string& reason) {
  const uint32_t nth = ++refusals_[request.role.value];
  const RolePlan& role = plan_.role(request.role);
  // Even without a back-off for restarts, wait after a refusal: the cluster was asked only just
  // now.
  const Duration low = std::max<Duration>(role.restart.backoff_low, std::chrono::seconds(1));
  const Duration wait = backoff_of(low, std::max(low, role.restart.backoff_high), nth,
                                   jitter_bits(plan_.seed, request.id.value, nth));
  return timers_.set(AskTimer{request.tasks}, turn_.now + wait,
                     fmt::format("asking again for {}: {}", role.name, reason));
}

}  // namespace muster::job
