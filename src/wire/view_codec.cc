#include "muster/control/v1/output.pb.h"
#include "muster/control/v1/view.pb.h"
#include "wire/control_codec.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {

void put(const job::View& value, control::v1::View& message) {
  message.set_generation(value.generation.value);
  message.mutable_members()->Reserve(static_cast<int>(value.members.size()));
  for (const job::Member& member : value.members) {
    control::v1::Member* wire = message.add_members();
    put(job::AttemptId{member.task, member.attempt}, *wire->mutable_attempt());
    put(member.address, *wire->mutable_address());
    wire->set_host(put_name(member.host.value));
    wire->set_container(put_name(member.container.value));
    wire->set_slot(member.slot);
  }
}

Status get(const control::v1::View& message, job::View& value) {
  value.generation = job::Generation(message.generation());
  value.members.reserve(static_cast<size_t>(message.members_size()));
  for (const control::v1::Member& wire : message.members()) {
    job::Member& member = value.members.emplace_back();
    job::AttemptId attempt;
    MUSTER_TRY_STATUS(required(wire.has_attempt(), get(wire.attempt(), attempt), "attempt"));
    member.task = attempt.task;
    member.attempt = attempt.number;
    MUSTER_TRY_STATUS(required(wire.has_address(), get(wire.address(), member.address), "address"));
    MUSTER_TRY_STATUS(get_name(wire.host(), member.host.value, "host"));
    MUSTER_TRY_STATUS(get_name(wire.container(), member.container.value, "container"));
    member.slot = wire.slot();
  }
  return {};
}

void put(const job::PrepareAttempt& value, control::v1::PrepareAttempt& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_container(put_name(value.container.value));
  message.set_slot(value.slot);
  message.set_restore(value.restore);
  message.set_keep_port(value.keep_port);
  message.set_restarts(value.restarts);
}

Status get(const control::v1::PrepareAttempt& message, job::PrepareAttempt& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  value.slot = message.slot();
  value.restore = message.restore();
  MUSTER_TRY_STATUS(get_port(message.keep_port(), value.keep_port, "port to keep"));
  value.restarts = message.restarts();
  return {};
}

void put(const job::StartAttempt& value, control::v1::StartAttempt& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_container(put_name(value.container.value));
  message.set_generation(value.generation.value);
}

Status get(const control::v1::StartAttempt& message, job::StartAttempt& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  value.generation = job::Generation(message.generation());
  return {};
}

void put(const job::StopAttempt& value, control::v1::StopAttempt& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_container(put_name(value.container.value));
  message.set_grace_us(value.grace.count());
  message.set_interrupt_us(value.interrupt.count());
  message.set_reason(enum_to_wire<control::v1::StopReason>(value.reason));
}

Status get(const control::v1::StopAttempt& message, job::StopAttempt& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  value.grace = Duration(message.grace_us());
  value.interrupt = Duration(message.interrupt_us());
  return enum_from_wire(message.reason(), value.reason, "stop reason");
}

void put(const Output& value, control::v1::Output& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_stream(enum_to_wire<control::v1::OutputStream>(value.stream));
  message.set_offset(value.offset);
  message.set_dropped(value.dropped);
  message.set_data(value.bytes);
  message.set_at_line_start(value.at_line_start);
  message.set_again(value.again);
}

Status get(const control::v1::Output& message, Output& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(enum_from_wire(message.stream(), value.stream, "output stream"));
  value.offset = message.offset();
  value.dropped = message.dropped();
  value.bytes = message.data();
  value.at_line_start = message.at_line_start();
  value.again = message.again();
  return {};
}

}  // namespace muster::wire
