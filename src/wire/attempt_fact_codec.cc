#include "muster/event/v1/fact.pb.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/fact_message_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {

void put(const job::AgentJoined& value, event::v1::AgentJoined& message) {
  message.set_container(put_name(value.container.value));
  message.set_address(put_name(value.address));
}

Status get(const event::v1::AgentJoined& message, job::AgentJoined& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  return get_name(message.address(), value.address, "address");
}

void put(const job::AgentSuspected& value, event::v1::AgentSuspected& message) {
  message.set_container(put_name(value.container.value));
}

Status get(const event::v1::AgentSuspected& message, job::AgentSuspected& value) {
  return get_name(message.container(), value.container.value, "container");
}

void put(const job::AgentLost& value, event::v1::AgentLost& message) {
  message.set_container(put_name(value.container.value));
  message.set_reason(enum_to_wire<event::v1::LossReason>(value.reason));
}

Status get(const event::v1::AgentLost& message, job::AgentLost& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  return enum_from_wire(message.reason(), value.reason, "loss reason");
}

void put(const job::AttemptJoined& value, event::v1::AttemptJoined& message) {
  put(value.attempt, *message.mutable_attempt());
  put(value.address, *message.mutable_address());
}

Status get(const event::v1::AttemptJoined& message, job::AttemptJoined& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  return required(message.has_address(), get(message.address(), value.address), "address");
}

void put(const job::AttemptStarted& value, event::v1::AttemptStarted& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_pid(value.pid);
}

Status get(const event::v1::AttemptStarted& message, job::AttemptStarted& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  value.pid = message.pid();
  return {};
}

void put(const job::AttemptEnded& value, event::v1::AttemptEnded& message) {
  put(value.attempt, *message.mutable_attempt());
  put(value.exit, *message.mutable_exit());
}

Status get(const event::v1::AttemptEnded& message, job::AttemptEnded& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  return required(message.has_exit(), get(message.exit(), value.exit), "exit");
}

void put(const job::AttemptStalled& value, event::v1::AttemptStalled& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_silent_us(value.silent.count());
  message.set_sure(enum_to_wire<event::v1::Sureness>(value.sure));
  message.set_place(put_name(value.place));
  message.set_evidence(put_text(value.evidence));
}

Status get(const event::v1::AttemptStalled& message, job::AttemptStalled& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  value.silent = Duration(message.silent_us());
  if (message.sure() != event::v1::SURENESS_UNSPECIFIED) {
    MUSTER_TRY_STATUS(enum_from_wire(message.sure(), value.sure, "sureness"));
  }
  MUSTER_TRY_STATUS(get_name(message.place(), value.place, "place"));
  return get_text(message.evidence(), value.evidence, "evidence");
}

void put(const job::CheckpointCommitted& value, event::v1::CheckpointCommitted& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_generation(value.generation.value);
  message.set_name(put_name(value.name));
}

Status get(const event::v1::CheckpointCommitted& message, job::CheckpointCommitted& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  value.generation.value = message.generation();
  return get_exact(message.name(), value.name, "name");
}

void put(const job::EndpointPublished& value, event::v1::EndpointPublished& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_name(put_name(value.name));
  message.set_url(put_text(value.url));
}

Status get(const event::v1::EndpointPublished& message, job::EndpointPublished& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.name(), value.name, "name"));
  return get_text(message.url(), value.url, "url");
}

void put(const job::SessionOpened& value, event::v1::SessionOpened& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_who(put_name(value.who));
  message.set_from(put_name(value.from));
  message.set_verb(put_name(value.verb));
  message.set_what(put_text(value.what));
}

Status get(const event::v1::SessionOpened& message, job::SessionOpened& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.who(), value.who, "who"));
  MUSTER_TRY_STATUS(get_name(message.from(), value.from, "from"));
  MUSTER_TRY_STATUS(get_name(message.verb(), value.verb, "verb"));
  return get_text(message.what(), value.what, "what");
}

void put(const job::SessionDetached& value, event::v1::SessionDetached& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_who(put_name(value.who));
  message.set_from(put_name(value.from));
  message.set_what(put_name(value.what));
}

Status get(const event::v1::SessionDetached& message, job::SessionDetached& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.who(), value.who, "who"));
  MUSTER_TRY_STATUS(get_name(message.from(), value.from, "from"));
  return get_name(message.what(), value.what, "what");
}

}  // namespace muster::wire
