#include "agent/checkpoint/checkpointer.h"

#include "rt/wait_until.h"

#include <utility>

namespace muster::agent {

void Checkpointer::watch(WatchedCheckpoint watched) {
  const job::AttemptId attempt = watched.attempt;
  watches_[attempt] = std::make_unique<CheckpointWatch>(deps_, std::move(watched));
}

void Checkpointer::answered(const wire::CommitAnswered& answer) {
  if (const auto found = watches_.find(answer.attempt); found != watches_.end()) {
    found->second->answered(answer);
  }
}

rt::Async<> Checkpointer::finish(job::AttemptId attempt, Duration patience) {
  const auto found = watches_.find(attempt);
  if (found == watches_.end()) {
    co_return;
  }
  CheckpointWatch& watch = *found->second;
  watch.end();
  (void)co_await rt::wait_until(deps_.loop, deps_.loop.now() + patience, watch.over());
  watches_.erase(attempt);
}

}  // namespace muster::agent
