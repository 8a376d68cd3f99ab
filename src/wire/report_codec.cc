#include "muster/event/v1/fact.pb.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {
namespace {

void put(const job::AttemptReport& value, event::v1::AttemptReport& message) {
  wire::put(value.attempt, *message.mutable_attempt());
  message.set_phase(enum_to_wire<event::v1::AttemptReport::Phase>(value.phase));
  wire::put(value.address, *message.mutable_address());
  message.set_generation(value.generation.value);
  if (value.exit) {
    wire::put(*value.exit, *message.mutable_exit());
  }
}

Status get(const event::v1::AttemptReport& message, job::AttemptReport& value) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), wire::get(message.attempt(), value.attempt), "attempt"));
  MUSTER_TRY_STATUS(enum_from_wire(message.phase(), value.phase, "attempt phase"));
  MUSTER_TRY_STATUS(
      required(message.has_address(), wire::get(message.address(), value.address), "address"));
  value.generation = job::Generation(message.generation());
  if (message.has_exit()) {
    return wire::get(message.exit(), value.exit.emplace());
  }
  return {};
}

}  // namespace

void put(const job::AgentReported& value, event::v1::AgentReported& message) {
  message.set_container(put_name(value.container.value));
  message.set_address(put_name(value.address));
  message.set_epoch(value.epoch.value);
  message.set_generation(value.generation.value);
  for (const job::AttemptReport& attempt : value.attempts) {
    put(attempt, *message.add_attempts());
  }
}

Status get(const event::v1::AgentReported& message, job::AgentReported& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  MUSTER_TRY_STATUS(get_name(message.address(), value.address, "address"));
  value.epoch = job::Epoch(message.epoch());
  value.generation = job::Generation(message.generation());
  value.attempts.reserve(static_cast<size_t>(message.attempts_size()));
  for (const event::v1::AttemptReport& attempt : message.attempts()) {
    MUSTER_TRY_STATUS(get(attempt, value.attempts.emplace_back()));
  }
  return {};
}

}  // namespace muster::wire
