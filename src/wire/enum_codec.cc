#include "wire/enum_codec.h"

#include "muster/control/v1/client.pb.h"
#include "muster/control/v1/output.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "muster/control/v1/view.pb.h"
#include "muster/event/v1/fact.pb.h"
#include "muster/event/v1/failure.pb.h"

namespace muster::wire {
namespace {

template <class Enum>
consteval bool is_wire(Enum value, int wire) {
  return static_cast<int>(value) + 1 == wire;
}

static_assert(is_wire(job::FailureKind::User, event::v1::FAILURE_KIND_USER));
static_assert(is_wire(job::FailureKind::Program, event::v1::FAILURE_KIND_PROGRAM));
static_assert(is_wire(job::FailureKind::PeerLoss, event::v1::FAILURE_KIND_PEER_LOSS));
static_assert(is_wire(job::FailureKind::Resource, event::v1::FAILURE_KIND_RESOURCE));
static_assert(is_wire(job::FailureKind::Infrastructure, event::v1::FAILURE_KIND_INFRASTRUCTURE));
static_assert(is_wire(job::FailureKind::Stopped, event::v1::FAILURE_KIND_STOPPED));
static_assert(is_wire(job::Remedy::Restart, event::v1::REMEDY_RESTART));
static_assert(is_wire(job::Remedy::NewPorts, event::v1::REMEDY_NEW_PORTS));
static_assert(is_wire(job::Remedy::Elsewhere, event::v1::REMEDY_ELSEWHERE));
static_assert(is_wire(job::Remedy::GiveUp, event::v1::REMEDY_GIVE_UP));
static_assert(is_wire(job::RefusalKind::NeverFits, event::v1::REFUSAL_KIND_NEVER_FITS));
static_assert(is_wire(job::RefusalKind::Forbidden, event::v1::REFUSAL_KIND_FORBIDDEN));
static_assert(is_wire(job::RefusalKind::Transient, event::v1::REFUSAL_KIND_TRANSIENT));
static_assert(is_wire(job::AttemptReport::Phase::Preparing,
                      event::v1::AttemptReport::PHASE_PREPARING));
static_assert(is_wire(job::AttemptReport::Phase::Joined, event::v1::AttemptReport::PHASE_JOINED));
static_assert(is_wire(job::AttemptReport::Phase::Running, event::v1::AttemptReport::PHASE_RUNNING));
static_assert(is_wire(job::AttemptReport::Phase::Ended, event::v1::AttemptReport::PHASE_ENDED));
static_assert(is_wire(job::LossReason::Silent, event::v1::LOSS_REASON_SILENT));
static_assert(is_wire(job::LossReason::Closed, event::v1::LOSS_REASON_CLOSED));
static_assert(is_wire(job::LossReason::Unreachable, event::v1::LOSS_REASON_UNREACHABLE));
static_assert(is_wire(job::ContainerEndKind::Completed, event::v1::CONTAINER_END_KIND_COMPLETED));
static_assert(is_wire(job::ContainerEndKind::Released, event::v1::CONTAINER_END_KIND_RELEASED));
static_assert(is_wire(job::ContainerEndKind::HostLost, event::v1::CONTAINER_END_KIND_HOST_LOST));
static_assert(is_wire(job::ContainerEndKind::Preempted, event::v1::CONTAINER_END_KIND_PREEMPTED));
static_assert(is_wire(job::ContainerEndKind::OverMemory,
                      event::v1::CONTAINER_END_KIND_OVER_MEMORY));
static_assert(is_wire(job::ContainerEndKind::LaunchFailed,
                      event::v1::CONTAINER_END_KIND_LAUNCH_FAILED));
static_assert(is_wire(job::ContainerEndKind::Killed, event::v1::CONTAINER_END_KIND_KILLED));
static_assert(is_wire(job::HostHealth::Healthy, event::v1::HOST_HEALTH_HEALTHY));
static_assert(is_wire(job::HostHealth::Unhealthy, event::v1::HOST_HEALTH_UNHEALTHY));
static_assert(is_wire(job::HostHealth::Decommissioning, event::v1::HOST_HEALTH_DECOMMISSIONING));
static_assert(is_wire(job::HostHealth::Lost, event::v1::HOST_HEALTH_LOST));
static_assert(is_wire(job::Sureness::Sign, event::v1::SURENESS_SIGN));
static_assert(is_wire(job::Sureness::Unsure, event::v1::SURENESS_UNSURE));
static_assert(is_wire(job::Sureness::Likely, event::v1::SURENESS_LIKELY));
static_assert(is_wire(job::Sureness::Certain, event::v1::SURENESS_CERTAIN));
static_assert(is_wire(job::NoticeWay::Command, event::v1::NOTICE_WAY_COMMAND));
static_assert(is_wire(job::NoticeWay::Hook, event::v1::NOTICE_WAY_HOOK));
static_assert(is_wire(job::NoticeWay::Mail, event::v1::NOTICE_WAY_MAIL));
static_assert(is_wire(job::NoticeFate::Delivered, event::v1::NOTICE_FATE_DELIVERED));
static_assert(is_wire(job::NoticeFate::Failing, event::v1::NOTICE_FATE_FAILING));
static_assert(is_wire(job::NoticeFate::GivenUp, event::v1::NOTICE_FATE_GIVEN_UP));
static_assert(is_wire(job::StopReason::JobEnds, control::v1::STOP_REASON_JOB_ENDS));
static_assert(is_wire(job::StopReason::Restart, control::v1::STOP_REASON_RESTART));
static_assert(is_wire(job::StopReason::Preemption, control::v1::STOP_REASON_PREEMPTION));
static_assert(is_wire(job::StopReason::UserStop, control::v1::STOP_REASON_USER_STOP));
static_assert(is_wire(job::StopReason::Shrink, control::v1::STOP_REASON_SHRINK));
static_assert(is_wire(job::JobResult::Succeeded, control::v1::JOB_RESULT_SUCCEEDED));
static_assert(is_wire(job::JobResult::Failed, control::v1::JOB_RESULT_FAILED));
static_assert(is_wire(job::JobResult::Stopped, control::v1::JOB_RESULT_STOPPED));
static_assert(is_wire(job::OutcomeReason::Completed, control::v1::OUTCOME_REASON_COMPLETED));
static_assert(is_wire(job::OutcomeReason::ProgramFailed,
                      control::v1::OUTCOME_REASON_PROGRAM_FAILED));
static_assert(is_wire(job::OutcomeReason::ClusterFailed,
                      control::v1::OUTCOME_REASON_CLUSTER_FAILED));
static_assert(is_wire(job::OutcomeReason::StoppedByUser,
                      control::v1::OUTCOME_REASON_STOPPED_BY_USER));
static_assert(is_wire(job::OutcomeReason::DeadlinePassed,
                      control::v1::OUTCOME_REASON_DEADLINE_PASSED));
static_assert(is_wire(job::OutcomeReason::Refused, control::v1::OUTCOME_REASON_REFUSED));
static_assert(is_wire(OutputStream::Stdout, control::v1::OUTPUT_STREAM_STDOUT));
static_assert(is_wire(OutputStream::Stderr, control::v1::OUTPUT_STREAM_STDERR));
static_assert(is_wire(StreamFault::Cancelled, control::v1::STREAM_FAULT_CANCELLED));
static_assert(is_wire(StreamFault::Refused, control::v1::STREAM_FAULT_REFUSED));
static_assert(is_wire(StreamFault::NotRunning, control::v1::STREAM_FAULT_NOT_RUNNING));
static_assert(is_wire(StreamFault::Deadline, control::v1::STREAM_FAULT_DEADLINE));
static_assert(is_wire(StreamFault::Lost, control::v1::STREAM_FAULT_LOST));
static_assert(is_wire(StreamFault::Protocol, control::v1::STREAM_FAULT_PROTOCOL));

}  // namespace

bool is_known(job::FailureKind value) {
  switch (value) {
    case job::FailureKind::User:
    case job::FailureKind::Program:
    case job::FailureKind::PeerLoss:
    case job::FailureKind::Resource:
    case job::FailureKind::Infrastructure:
    case job::FailureKind::Stopped:
      return true;
  }
  return false;
}

bool is_known(job::Remedy value) {
  switch (value) {
    case job::Remedy::Restart:
    case job::Remedy::NewPorts:
    case job::Remedy::Elsewhere:
    case job::Remedy::GiveUp:
      return true;
  }
  return false;
}

bool is_known(job::RefusalKind value) {
  switch (value) {
    case job::RefusalKind::NeverFits:
    case job::RefusalKind::Forbidden:
    case job::RefusalKind::Transient:
      return true;
  }
  return false;
}

bool is_known(job::AttemptReport::Phase value) {
  switch (value) {
    case job::AttemptReport::Phase::Preparing:
    case job::AttemptReport::Phase::Joined:
    case job::AttemptReport::Phase::Running:
    case job::AttemptReport::Phase::Ended:
      return true;
  }
  return false;
}

bool is_known(job::LossReason value) {
  switch (value) {
    case job::LossReason::Silent:
    case job::LossReason::Closed:
    case job::LossReason::Unreachable:
      return true;
  }
  return false;
}

bool is_known(job::ContainerEndKind value) {
  switch (value) {
    case job::ContainerEndKind::Completed:
    case job::ContainerEndKind::Released:
    case job::ContainerEndKind::HostLost:
    case job::ContainerEndKind::Preempted:
    case job::ContainerEndKind::OverMemory:
    case job::ContainerEndKind::LaunchFailed:
    case job::ContainerEndKind::Killed:
      return true;
  }
  return false;
}

bool is_known(job::NoticeWay value) {
  switch (value) {
    case job::NoticeWay::Command:
    case job::NoticeWay::Hook:
    case job::NoticeWay::Mail:
      return true;
  }
  return false;
}

bool is_known(job::NoticeFate value) {
  switch (value) {
    case job::NoticeFate::Delivered:
    case job::NoticeFate::Failing:
    case job::NoticeFate::GivenUp:
      return true;
  }
  return false;
}

bool is_known(job::HostHealth value) {
  switch (value) {
    case job::HostHealth::Healthy:
    case job::HostHealth::Unhealthy:
    case job::HostHealth::Decommissioning:
    case job::HostHealth::Lost:
      return true;
  }
  return false;
}

bool is_known(job::Sureness value) {
  switch (value) {
    case job::Sureness::Sign:
    case job::Sureness::Unsure:
    case job::Sureness::Likely:
    case job::Sureness::Certain:
      return true;
  }
  return false;
}

bool is_known(job::StopReason value) {
  switch (value) {
    case job::StopReason::JobEnds:
    case job::StopReason::Restart:
    case job::StopReason::Preemption:
    case job::StopReason::UserStop:
    case job::StopReason::Shrink:
      return true;
  }
  return false;
}

bool is_known(job::JobResult value) {
  switch (value) {
    case job::JobResult::Succeeded:
    case job::JobResult::Failed:
    case job::JobResult::Stopped:
      return true;
  }
  return false;
}

bool is_known(job::OutcomeReason value) {
  switch (value) {
    case job::OutcomeReason::Completed:
    case job::OutcomeReason::ProgramFailed:
    case job::OutcomeReason::ClusterFailed:
    case job::OutcomeReason::StoppedByUser:
    case job::OutcomeReason::DeadlinePassed:
    case job::OutcomeReason::Refused:
      return true;
  }
  return false;
}

bool is_known(OutputStream value) {
  switch (value) {
    case OutputStream::Stdout:
    case OutputStream::Stderr:
      return true;
  }
  return false;
}

bool is_known(StreamFault value) {
  switch (value) {
    case StreamFault::Cancelled:
    case StreamFault::Refused:
    case StreamFault::NotRunning:
    case StreamFault::Deadline:
    case StreamFault::Lost:
    case StreamFault::Protocol:
      return true;
  }
  return false;
}

}  // namespace muster::wire
