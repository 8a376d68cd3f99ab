#include "job/unheard.h"

#include <algorithm>

namespace muster::job {

bool ended_unheard(const State& state, const ContainerId& container) {
  const auto found = state.containers.find(container);
  // Once the job is stopping, nothing starts any more.
  if (found == state.containers.end() || state.phase >= JobPhase::Stopping) {
    return false;
  }
  return std::ranges::any_of(found->second.tasks, [&](TaskId id) {
    return std::ranges::any_of(state.task(id).attempts, [&](const Attempt& attempt) {
      return attempt.container == container && attempt.state == AttemptState::Ended &&
             !attempt.exit && attempt.generation.value != 0;
    });
  });
}

}  // namespace muster::job
