#include "muster/event/v1/fact.pb.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/fact_message_codec.h"
#include "wire/field_codec.h"
#include "wire/frame.h"

namespace muster::wire {
namespace {

/// Puts one kind of fact into the field of the oneof that is its own.
struct PutFact {
  event::v1::Fact& fact;

  void operator()(const job::JobStarted&) const { fact.mutable_job_started(); }
  void operator()(const job::ContainerGranted& v) const {
    put(v, *fact.mutable_container_granted());
  }
  void operator()(const job::RequestRefused& v) const { put(v, *fact.mutable_request_refused()); }
  void operator()(const job::LaunchFailed& v) const { put(v, *fact.mutable_launch_failed()); }
  void operator()(const job::AgentJoined& v) const { put(v, *fact.mutable_agent_joined()); }
  void operator()(const job::AgentReported& v) const { put(v, *fact.mutable_agent_reported()); }
  void operator()(const job::AgentSuspected& v) const { put(v, *fact.mutable_agent_suspected()); }
  void operator()(const job::AgentLost& v) const { put(v, *fact.mutable_agent_lost()); }
  void operator()(const job::AttemptJoined& v) const { put(v, *fact.mutable_attempt_joined()); }
  void operator()(const job::AttemptStarted& v) const { put(v, *fact.mutable_attempt_started()); }
  void operator()(const job::AttemptEnded& v) const { put(v, *fact.mutable_attempt_ended()); }
  void operator()(const job::AttemptStalled& v) const { put(v, *fact.mutable_attempt_stalled()); }
  void operator()(const job::ContainerEnded& v) const { put(v, *fact.mutable_container_ended()); }
  void operator()(const job::CheckpointCommitted& v) const {
    put(v, *fact.mutable_checkpoint_committed());
  }
  void operator()(const job::EndpointPublished& v) const {
    put(v, *fact.mutable_endpoint_published());
  }
  void operator()(const job::HostReported& v) const { put(v, *fact.mutable_host_reported()); }
  void operator()(const job::HeadroomReported& v) const {
    put(v, *fact.mutable_headroom_reported());
  }
  void operator()(const job::PreemptionNoticed& v) const {
    put(v, *fact.mutable_preemption_noticed());
  }
  void operator()(const job::DeadlinePassed& v) const { put(v, *fact.mutable_deadline_passed()); }
  void operator()(const job::StopAsked& v) const { put(v, *fact.mutable_stop_asked()); }
  void operator()(const job::MasterRecovered& v) const { put(v, *fact.mutable_master_recovered()); }
  void operator()(const job::SessionOpened& v) const { put(v, *fact.mutable_session_opened()); }
  void operator()(const job::NoticeTold& v) const { put(v, *fact.mutable_notice_told()); }
  void operator()(const job::SessionDetached& v) const { put(v, *fact.mutable_session_detached()); }
};

template <class Value, class Message>
Status get_as(const Message& message, job::Fact& fact) {
  Value value;
  MUSTER_TRY_STATUS(get(message, value));
  fact = std::move(value);
  return {};
}

}  // namespace

void put(const job::Fact& value, event::v1::Fact& message) { std::visit(PutFact{message}, value); }

Status get(const event::v1::Fact& m, job::Fact& value) {
  switch (m.kind_case()) {
    case event::v1::Fact::kJobStarted:
      value = job::JobStarted{};
      return {};
    case event::v1::Fact::kContainerGranted:
      return get_as<job::ContainerGranted>(m.container_granted(), value);
    case event::v1::Fact::kRequestRefused:
      return get_as<job::RequestRefused>(m.request_refused(), value);
    case event::v1::Fact::kLaunchFailed:
      return get_as<job::LaunchFailed>(m.launch_failed(), value);
    case event::v1::Fact::kAgentJoined:
      return get_as<job::AgentJoined>(m.agent_joined(), value);
    case event::v1::Fact::kAgentReported:
      return get_as<job::AgentReported>(m.agent_reported(), value);
    case event::v1::Fact::kAgentSuspected:
      return get_as<job::AgentSuspected>(m.agent_suspected(), value);
    case event::v1::Fact::kAgentLost:
      return get_as<job::AgentLost>(m.agent_lost(), value);
    case event::v1::Fact::kAttemptJoined:
      return get_as<job::AttemptJoined>(m.attempt_joined(), value);
    case event::v1::Fact::kAttemptStarted:
      return get_as<job::AttemptStarted>(m.attempt_started(), value);
    case event::v1::Fact::kAttemptEnded:
      return get_as<job::AttemptEnded>(m.attempt_ended(), value);
    case event::v1::Fact::kAttemptStalled:
      return get_as<job::AttemptStalled>(m.attempt_stalled(), value);
    case event::v1::Fact::kContainerEnded:
      return get_as<job::ContainerEnded>(m.container_ended(), value);
    case event::v1::Fact::kCheckpointCommitted:
      return get_as<job::CheckpointCommitted>(m.checkpoint_committed(), value);
    case event::v1::Fact::kEndpointPublished:
      return get_as<job::EndpointPublished>(m.endpoint_published(), value);
    case event::v1::Fact::kHostReported:
      return get_as<job::HostReported>(m.host_reported(), value);
    case event::v1::Fact::kHeadroomReported:
      return get_as<job::HeadroomReported>(m.headroom_reported(), value);
    case event::v1::Fact::kPreemptionNoticed:
      return get_as<job::PreemptionNoticed>(m.preemption_noticed(), value);
    case event::v1::Fact::kDeadlinePassed:
      return get_as<job::DeadlinePassed>(m.deadline_passed(), value);
    case event::v1::Fact::kStopAsked:
      return get_as<job::StopAsked>(m.stop_asked(), value);
    case event::v1::Fact::kMasterRecovered:
      return get_as<job::MasterRecovered>(m.master_recovered(), value);
    case event::v1::Fact::kSessionOpened:
      return get_as<job::SessionOpened>(m.session_opened(), value);
    case event::v1::Fact::kNoticeTold:
      return get_as<job::NoticeTold>(m.notice_told(), value);
    case event::v1::Fact::kSessionDetached:
      return get_as<job::SessionDetached>(m.session_detached(), value);
    case event::v1::Fact::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of fact");
}

std::string encode_fact(const job::Fact& fact) {
  event::v1::Fact message;
  put(fact, message);
  return message.SerializeAsString();
}

Result<job::Fact> decode_fact(std::string_view bytes) {
  MUSTER_TRY(const event::v1::Fact message, parse<event::v1::Fact>(bytes, kFactBytesMax, "fact"));
  job::Fact fact;
  MUSTER_TRY_STATUS(get(message, fact));
  return fact;
}

}  // namespace muster::wire
