#include "job/state.h"

#include "base/check.h"

#include <algorithm>

namespace muster::job {

std::string_view to_string(ContainerState value) {
  switch (value) {
    case ContainerState::Granted:
      return "granted";
    case ContainerState::Launching:
      return "launching";
    case ContainerState::Ready:
      return "ready";
    case ContainerState::Draining:
      return "draining";
    case ContainerState::Gone:
      return "gone";
  }
  MUSTER_CHECK(false, "unknown ContainerState");
}

std::string_view to_string(AttemptState value) {
  switch (value) {
    case AttemptState::Placed:
      return "placed";
    case AttemptState::Joined:
      return "joined";
    case AttemptState::Running:
      return "running";
    case AttemptState::Stopping:
      return "stopping";
    case AttemptState::Ended:
      return "ended";
  }
  MUSTER_CHECK(false, "unknown AttemptState");
}

std::string_view to_string(TaskState value) {
  switch (value) {
    case TaskState::Waiting:
      return "waiting";
    case TaskState::Active:
      return "active";
    case TaskState::Succeeded:
      return "succeeded";
    case TaskState::Failed:
      return "failed";
    case TaskState::Stopped:
      return "stopped";
  }
  MUSTER_CHECK(false, "unknown TaskState");
}

std::string_view to_string(JobPhase value) {
  switch (value) {
    case JobPhase::Gathering:
      return "gathering";
    case JobPhase::Running:
      return "running";
    case JobPhase::Stopping:
      return "stopping";
    case JobPhase::Ended:
      return "ended";
  }
  MUSTER_CHECK(false, "unknown JobPhase");
}

const Attempt* State::find_attempt(AttemptId id) const {
  if (id.task.role.value >= tasks.size() || id.task.index >= tasks[id.task.role.value].size()) {
    return nullptr;
  }
  const Task& found = task(id.task);
  // Numbers may skip after a takeover, but they only grow.
  const auto at = std::ranges::lower_bound(found.attempts, id.number, {}, &Attempt::number);
  return at != found.attempts.end() && at->number == id.number ? &*at : nullptr;
}

}  // namespace muster::job
