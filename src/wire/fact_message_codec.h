#pragma once

#include "base/result.h"
#include "job/fact.h"

/// The messages of single kinds of fact; event_codec.h has the parts they share.
namespace muster::event::v1 {
class ContainerGranted;
class RequestRefused;
class LaunchFailed;
class AgentJoined;
class AgentSuspected;
class AgentLost;
class AttemptJoined;
class AttemptStarted;
class AttemptEnded;
class AttemptStalled;
class ContainerEnded;
class CheckpointCommitted;
class EndpointPublished;
class HostReported;
class HeadroomReported;
class PreemptionNoticed;
class DeadlinePassed;
class StopAsked;
class MasterRecovered;
class SessionOpened;
class NoticeTold;
class SessionDetached;
}  // namespace muster::event::v1

namespace muster::wire {

void put(const job::ContainerGranted& value, event::v1::ContainerGranted& message);
Status get(const event::v1::ContainerGranted& message, job::ContainerGranted& value);
void put(const job::RequestRefused& value, event::v1::RequestRefused& message);
Status get(const event::v1::RequestRefused& message, job::RequestRefused& value);
void put(const job::LaunchFailed& value, event::v1::LaunchFailed& message);
Status get(const event::v1::LaunchFailed& message, job::LaunchFailed& value);
void put(const job::AgentJoined& value, event::v1::AgentJoined& message);
Status get(const event::v1::AgentJoined& message, job::AgentJoined& value);
void put(const job::AgentSuspected& value, event::v1::AgentSuspected& message);
Status get(const event::v1::AgentSuspected& message, job::AgentSuspected& value);
void put(const job::AgentLost& value, event::v1::AgentLost& message);
Status get(const event::v1::AgentLost& message, job::AgentLost& value);
void put(const job::AttemptJoined& value, event::v1::AttemptJoined& message);
Status get(const event::v1::AttemptJoined& message, job::AttemptJoined& value);
void put(const job::AttemptStarted& value, event::v1::AttemptStarted& message);
Status get(const event::v1::AttemptStarted& message, job::AttemptStarted& value);
void put(const job::AttemptEnded& value, event::v1::AttemptEnded& message);
Status get(const event::v1::AttemptEnded& message, job::AttemptEnded& value);
void put(const job::AttemptStalled& value, event::v1::AttemptStalled& message);
Status get(const event::v1::AttemptStalled& message, job::AttemptStalled& value);
void put(const job::ContainerEnded& value, event::v1::ContainerEnded& message);
Status get(const event::v1::ContainerEnded& message, job::ContainerEnded& value);
void put(const job::CheckpointCommitted& value, event::v1::CheckpointCommitted& message);
Status get(const event::v1::CheckpointCommitted& message, job::CheckpointCommitted& value);
void put(const job::EndpointPublished& value, event::v1::EndpointPublished& message);
Status get(const event::v1::EndpointPublished& message, job::EndpointPublished& value);
void put(const job::HostReported& value, event::v1::HostReported& message);
Status get(const event::v1::HostReported& message, job::HostReported& value);
void put(const job::HeadroomReported& value, event::v1::HeadroomReported& message);
Status get(const event::v1::HeadroomReported& message, job::HeadroomReported& value);
void put(const job::PreemptionNoticed& value, event::v1::PreemptionNoticed& message);
Status get(const event::v1::PreemptionNoticed& message, job::PreemptionNoticed& value);
void put(const job::DeadlinePassed& value, event::v1::DeadlinePassed& message);
Status get(const event::v1::DeadlinePassed& message, job::DeadlinePassed& value);
void put(const job::StopAsked& value, event::v1::StopAsked& message);
Status get(const event::v1::StopAsked& message, job::StopAsked& value);
void put(const job::MasterRecovered& value, event::v1::MasterRecovered& message);
Status get(const event::v1::MasterRecovered& message, job::MasterRecovered& value);
void put(const job::SessionOpened& value, event::v1::SessionOpened& message);
Status get(const event::v1::SessionOpened& message, job::SessionOpened& value);
void put(const job::NoticeTold& value, event::v1::NoticeTold& message);
Status get(const event::v1::NoticeTold& message, job::NoticeTold& value);
void put(const job::SessionDetached& value, event::v1::SessionDetached& message);
Status get(const event::v1::SessionDetached& message, job::SessionDetached& value);

}  // namespace muster::wire
