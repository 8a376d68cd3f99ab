#include "hadoop/yarn/container.h"
#include "hadoop/yarn/node.h"
#include "hadoop/yarn/queue.h"
#include "hadoop/yarn/report.h"

#include <fmt/format.h>

namespace muster::hadoop::yarn {

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::Unknown:
      return "unknown";
    case NodeState::New:
      return "new";
    case NodeState::Running:
      return "running";
    case NodeState::Unhealthy:
      return "unhealthy";
    case NodeState::Decommissioned:
      return "decommissioned";
    case NodeState::Lost:
      return "lost";
    case NodeState::Rebooted:
      return "rebooted";
    case NodeState::Decommissioning:
      return "decommissioning";
    case NodeState::Shutdown:
      return "shut down";
  }
  return "unknown";
}

std::string_view to_string(QueueState state) {
  switch (state) {
    case QueueState::Unknown:
      return "unknown";
    case QueueState::Stopped:
      return "stopped";
    case QueueState::Running:
      return "running";
    case QueueState::Draining:
      return "draining";
  }
  return "unknown";
}

std::string_view to_string(ApplicationState state) {
  switch (state) {
    case ApplicationState::Unknown:
      return "unknown";
    case ApplicationState::New:
      return "new";
    case ApplicationState::NewSaving:
      return "being saved";
    case ApplicationState::Submitted:
      return "submitted";
    case ApplicationState::Accepted:
      return "accepted";
    case ApplicationState::Running:
      return "running";
    case ApplicationState::Finished:
      return "finished";
    case ApplicationState::Failed:
      return "failed";
    case ApplicationState::Killed:
      return "killed";
  }
  return "unknown";
}

bool is_over(ApplicationState state) {
  return state == ApplicationState::Finished || state == ApplicationState::Failed ||
         state == ApplicationState::Killed;
}

std::string describe_exit(int32_t exit_status) {
  switch (static_cast<ExitStatus>(exit_status)) {
    case ExitStatus::Invalid:
      return "never ran: its files or its set-up failed";
    case ExitStatus::LaunchFailed:
      return "the node could not start its script";
    case ExitStatus::Aborted:
      return "released, expired, or lost with its node";
    case ExitStatus::DisksFailed:
      return "the node's disks are bad";
    case ExitStatus::Preempted:
      return "preempted";
    case ExitStatus::OverVirtualMemory:
      return "killed: exceeded its virtual memory limit";
    case ExitStatus::OverMemory:
      return "killed: exceeded its memory limit";
    case ExitStatus::StoppedByMaster:
      return "stopped by the application master";
    case ExitStatus::KilledByResourceManager:
      return "killed by the resource manager";
    case ExitStatus::ApplicationEnded:
      return "ended with its application";
    case ExitStatus::PushedOut:
      return "preempted by a guaranteed container";
    case ExitStatus::TooMuchOutput:
      return "killed: too much log output";
  }
  constexpr int kSignalBase = 128;
  constexpr int kSignalMax = 64;
  if (exit_status > kSignalBase && exit_status <= kSignalBase + kSignalMax) {
    return fmt::format("signal {} (exit code {})", exit_status - kSignalBase, exit_status);
  }
  return fmt::format("exit code {}", exit_status);
}

}  // namespace muster::hadoop::yarn
