#include "muster/control/v1/client.pb.h"
#include "wire/control_codec.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {
namespace {

void put_cause(const job::FirstCause& value, control::v1::FirstCause& message) {
  put(value.attempt, *message.mutable_attempt());
  message.set_host(put_name(value.host.value));
  message.set_container(put_name(value.container.value));
  if (value.exit_code) {
    message.set_exit_code(*value.exit_code);
  }
  if (value.signal) {
    message.set_signal(*value.signal);
  }
  put(value.failure, *message.mutable_failure());
  message.set_victims(value.victims);
}

Status get_cause(const control::v1::FirstCause& message, job::FirstCause& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(get_name(message.host(), value.host.value, "host"));
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  if (message.has_exit_code()) {
    value.exit_code = message.exit_code();
  }
  if (message.has_signal()) {
    value.signal = message.signal();
  }
  MUSTER_TRY_STATUS(
      required(message.has_failure(), get(message.failure(), value.failure), "failure"));
  value.victims = message.victims();
  return {};
}

}  // namespace

void put(const job::Outcome& value, control::v1::Outcome& message) {
  message.set_result(enum_to_wire<control::v1::JobResult>(value.result));
  message.set_reason(enum_to_wire<control::v1::OutcomeReason>(value.reason));
  message.set_class_name(put_name(value.class_name));
  message.set_message(put_text(value.message));
  if (value.first_cause) {
    put_cause(*value.first_cause, *message.mutable_first_cause());
  }
}

Status get(const control::v1::Outcome& message, job::Outcome& value) {
  MUSTER_TRY_STATUS(enum_from_wire(message.result(), value.result, "job result"));
  MUSTER_TRY_STATUS(enum_from_wire(message.reason(), value.reason, "outcome reason"));
  MUSTER_TRY_STATUS(get_name(message.class_name(), value.class_name, "outcome class"));
  MUSTER_TRY_STATUS(get_text(message.message(), value.message, "outcome message"));
  if (message.has_first_cause()) {
    return get_cause(message.first_cause(), value.first_cause.emplace());
  }
  return {};
}

}  // namespace muster::wire
