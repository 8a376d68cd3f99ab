#include "wire/event_codec.h"

#include "muster/event/v1/fact.pb.h"
#include "muster/event/v1/failure.pb.h"
#include "muster/event/v1/ids.pb.h"
#include "wire/enum_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {

void put(const job::AttemptId& value, event::v1::AttemptId& message) {
  message.set_role(value.task.role.value);
  message.set_index(value.task.index);
  message.set_number(value.number);
}

Status get(const event::v1::AttemptId& message, job::AttemptId& value) {
  if (message.role() > UINT16_MAX) {
    return corrupt("role index is out of range");
  }
  value.task.role = job::RoleIndex(static_cast<uint16_t>(message.role()));
  value.task.index = message.index();
  value.number = message.number();
  return {};
}

void put(const job::Address& value, event::v1::Address& message) {
  message.set_host(put_name(value.host));
  message.set_port(value.port);
  for (const auto& [name, port] : value.named_ports) {
    event::v1::NamedPort* named = message.add_named_ports();
    named->set_name(put_name(name));
    named->set_port(port);
  }
}

Status get(const event::v1::Address& message, job::Address& value) {
  MUSTER_TRY_STATUS(get_name(message.host(), value.host, "host"));
  MUSTER_TRY_STATUS(get_port(message.port(), value.port, "port"));
  for (const event::v1::NamedPort& named : message.named_ports()) {
    std::string name;
    uint16_t port = 0;
    MUSTER_TRY_STATUS(get_name(named.name(), name, "port name"));
    MUSTER_TRY_STATUS(get_port(named.port(), port, "named port"));
    if (!value.named_ports.emplace(std::move(name), port).second) {
      return corrupt("duplicate port name");
    }
  }
  return {};
}

void put(const job::Failure& value, event::v1::Failure& message) {
  message.set_class_name(put_name(value.class_name));
  message.set_kind(enum_to_wire<event::v1::FailureKind>(value.kind));
  message.set_remedy(enum_to_wire<event::v1::Remedy>(value.remedy));
  message.set_evidence(put_text(value.evidence));
  message.set_hint(put_text(value.hint));
}

Status get(const event::v1::Failure& message, job::Failure& value) {
  MUSTER_TRY_STATUS(get_name(message.class_name(), value.class_name, "failure class"));
  MUSTER_TRY_STATUS(enum_from_wire(message.kind(), value.kind, "failure kind"));
  MUSTER_TRY_STATUS(enum_from_wire(message.remedy(), value.remedy, "remedy"));
  MUSTER_TRY_STATUS(get_text(message.evidence(), value.evidence, "evidence"));
  return get_text(message.hint(), value.hint, "hint");
}

void put(const job::Exit& value, event::v1::Exit& message) {
  if (value.exit_code) {
    message.set_exit_code(*value.exit_code);
  }
  if (value.signal) {
    message.set_signal(*value.signal);
  }
  message.set_over_memory(value.over_memory);
  message.set_memory_peak_bytes(value.memory_peak_bytes);
  message.set_age_us(value.age.count());
  if (value.failure) {
    put(*value.failure, *message.mutable_failure());
  }
}

Status get(const event::v1::Exit& message, job::Exit& value) {
  if (message.has_exit_code()) {
    value.exit_code = message.exit_code();
  }
  if (message.has_signal()) {
    value.signal = message.signal();
  }
  value.over_memory = message.over_memory();
  value.memory_peak_bytes = message.memory_peak_bytes();
  value.age = Duration(message.age_us());
  if (message.has_failure()) {
    return get(message.failure(), value.failure.emplace());
  }
  return {};
}

}  // namespace muster::wire
