#include "master/agents/members.h"

namespace muster::master {

const job::Container* find_container(const job::State& state, const job::ContainerId& container) {
  const auto found = state.containers.find(container);
  return found == state.containers.end() ? nullptr : &found->second;
}

bool runs_there(const job::State& state, const job::ContainerId& container,
                job::AttemptId attempt) {
  if (attempt.task.role.value >= state.tasks.size() ||
      attempt.task.index >= state.tasks[attempt.task.role.value].size()) {
    return false;
  }
  const job::Attempt* known = state.find_attempt(attempt);
  return known != nullptr && known->container == container;
}

}  // namespace muster::master
