#include "job/fact.h"

#include "base/check.h"

#include <array>

namespace muster::job {

std::string_view to_string(ContainerEndKind value) {
  switch (value) {
    case ContainerEndKind::Completed:
      return "completed";
    case ContainerEndKind::Released:
      return "released";
    case ContainerEndKind::HostLost:
      return "host_lost";
    case ContainerEndKind::Preempted:
      return "preempted";
    case ContainerEndKind::OverMemory:
      return "over_memory";
    case ContainerEndKind::LaunchFailed:
      return "launch_failed";
    case ContainerEndKind::Killed:
      return "killed";
  }
  MUSTER_CHECK(false, "unknown ContainerEndKind");
}

std::string_view to_string(LossReason value) {
  switch (value) {
    case LossReason::Silent:
      return "silent";
    case LossReason::Closed:
      return "closed";
    case LossReason::Unreachable:
      return "unreachable";
  }
  MUSTER_CHECK(false, "unknown LossReason");
}

std::string_view to_string(RefusalKind value) {
  switch (value) {
    case RefusalKind::NeverFits:
      return "never_fits";
    case RefusalKind::Forbidden:
      return "forbidden";
    case RefusalKind::Transient:
      return "transient";
  }
  MUSTER_CHECK(false, "unknown RefusalKind");
}

std::string_view to_string(HostHealth value) {
  switch (value) {
    case HostHealth::Healthy:
      return "healthy";
    case HostHealth::Unhealthy:
      return "unhealthy";
    case HostHealth::Decommissioning:
      return "decommissioning";
    case HostHealth::Lost:
      return "lost";
  }
  MUSTER_CHECK(false, "unknown HostHealth");
}

std::string_view to_string(Sureness value) {
  switch (value) {
    case Sureness::Sign:
      return "sign";
    case Sureness::Unsure:
      return "unsure";
    case Sureness::Likely:
      return "likely";
    case Sureness::Certain:
      return "certain";
  }
  MUSTER_CHECK(false, "unknown Sureness");
}

std::string_view to_string(NoticeWay value) {
  switch (value) {
    case NoticeWay::Command:
      return "command";
    case NoticeWay::Hook:
      return "hook";
    case NoticeWay::Mail:
      return "mail";
  }
  MUSTER_CHECK(false, "unknown NoticeWay");
}

std::string_view to_string(NoticeFate value) {
  switch (value) {
    case NoticeFate::Delivered:
      return "delivered";
    case NoticeFate::Failing:
      return "failing";
    case NoticeFate::GivenUp:
      return "given_up";
  }
  MUSTER_CHECK(false, "unknown NoticeFate");
}

namespace {

// In the order of the variant.
constexpr std::array<std::string_view, std::variant_size_v<Fact>> kFactNames = {
    "job-started",       "container-granted",    "request-refused",    "launch-failed",
    "agent-joined",      "agent-reported",       "agent-suspected",    "agent-lost",
    "attempt-joined",    "attempt-started",      "attempt-ended",      "attempt-stalled",
    "container-ended",   "checkpoint-committed", "endpoint-published", "host-reported",
    "headroom-reported", "preemption-noticed",   "deadline-passed",    "stop-asked",
    "master-recovered",  "session-opened",       "notice-told",        "session-detached",
};

}  // namespace

std::string_view name_of(const Fact& fact) { return kFactNames[fact.index()]; }

}  // namespace muster::job
