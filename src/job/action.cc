#include "job/action.h"

#include "base/check.h"

#include <array>

namespace muster::job {

std::string_view to_string(StopReason value) {
  switch (value) {
    case StopReason::JobEnds:
      return "job_ends";
    case StopReason::Restart:
      return "restart";
    case StopReason::Preemption:
      return "preemption";
    case StopReason::UserStop:
      return "user_stop";
    case StopReason::Shrink:
      return "shrink";
  }
  MUSTER_CHECK(false, "unknown StopReason");
}

std::string stopped_class(StopReason reason) { return "stopped." + std::string(to_string(reason)); }

std::string_view to_string(DeadlineKind value) {
  switch (value) {
    case DeadlineKind::Queue:
      return "queue";
    case DeadlineKind::Gather:
      return "gather";
    case DeadlineKind::Join:
      return "join";
    case DeadlineKind::Run:
      return "run";
    case DeadlineKind::Stop:
      return "stop";
    case DeadlineKind::Backoff:
      return "backoff";
    case DeadlineKind::Ask:
      return "ask";
    case DeadlineKind::Hold:
      return "hold";
    case DeadlineKind::Regather:
      return "regather";
    case DeadlineKind::Blame:
      return "blame";
    case DeadlineKind::Fence:
      return "fence";
    case DeadlineKind::Group:
      return "group";
  }
  MUSTER_CHECK(false, "unknown DeadlineKind");
}

namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Action>> kActionNames = {
    "request-container", "cancel-request", "launch-agent", "release-container",
    "prepare-attempt",   "start-attempt",  "stop-attempt", "set-deadline",
    "clear-deadline",    "reconcile",      "finish",
};

}  // namespace

std::string_view name_of(const Action& action) { return kActionNames[action.index()]; }

}  // namespace muster::job
