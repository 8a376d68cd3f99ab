#include "muster/event/v1/fact.pb.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/fact_message_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {

void put(const job::ContainerGranted& value, event::v1::ContainerGranted& message) {
  message.set_request(value.request.value);
  message.set_container(put_name(value.container.value));
  message.set_host(put_name(value.host.value));
}

Status get(const event::v1::ContainerGranted& message, job::ContainerGranted& value) {
  value.request.value = message.request();
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  return get_name(message.host(), value.host.value, "host");
}

void put(const job::RequestRefused& value, event::v1::RequestRefused& message) {
  message.set_request(value.request.value);
  message.set_kind(enum_to_wire<event::v1::RefusalKind>(value.kind));
  message.set_reason(put_text(value.reason));
}

Status get(const event::v1::RequestRefused& message, job::RequestRefused& value) {
  value.request.value = message.request();
  MUSTER_TRY_STATUS(enum_from_wire(message.kind(), value.kind, "refusal kind"));
  return get_text(message.reason(), value.reason, "reason");
}

void put(const job::LaunchFailed& value, event::v1::LaunchFailed& message) {
  message.set_container(put_name(value.container.value));
  message.set_reason(put_text(value.reason));
}

Status get(const event::v1::LaunchFailed& message, job::LaunchFailed& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  return get_text(message.reason(), value.reason, "reason");
}

void put(const job::ContainerEnded& value, event::v1::ContainerEnded& message) {
  message.set_container(put_name(value.container.value));
  message.set_kind(enum_to_wire<event::v1::ContainerEndKind>(value.kind));
  if (value.exit_code) {
    message.set_exit_code(*value.exit_code);
  }
  message.set_diagnostics(put_text(value.diagnostics));
  message.set_cluster_code(put_text(value.cluster_code));
  if (value.failure) {
    put(*value.failure, *message.mutable_failure());
  }
}

Status get(const event::v1::ContainerEnded& message, job::ContainerEnded& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  MUSTER_TRY_STATUS(enum_from_wire(message.kind(), value.kind, "kind of container end"));
  if (message.has_exit_code()) {
    value.exit_code = message.exit_code();
  }
  MUSTER_TRY_STATUS(get_text(message.diagnostics(), value.diagnostics, "diagnostics"));
  MUSTER_TRY_STATUS(get_text(message.cluster_code(), value.cluster_code, "cluster code"));
  if (message.has_failure()) {
    MUSTER_TRY_STATUS(get(message.failure(), value.failure.emplace()));
  }
  return {};
}

void put(const job::HostReported& value, event::v1::HostReported& message) {
  message.set_host(put_name(value.host.value));
  message.set_health(enum_to_wire<event::v1::HostHealth>(value.health));
}

Status get(const event::v1::HostReported& message, job::HostReported& value) {
  MUSTER_TRY_STATUS(get_name(message.host(), value.host.value, "host"));
  return enum_from_wire(message.health(), value.health, "host health");
}

void put(const job::HeadroomReported& value, event::v1::HeadroomReported& message) {
  message.set_memory_bytes(value.memory_bytes);
  message.set_vcores(value.vcores);
  message.set_gpus(value.gpus);
  message.set_hosts(value.hosts);
}

Status get(const event::v1::HeadroomReported& message, job::HeadroomReported& value) {
  value.memory_bytes = message.memory_bytes();
  value.vcores = message.vcores();
  value.gpus = message.gpus();
  value.hosts = message.hosts();
  return {};
}

void put(const job::PreemptionNoticed& value, event::v1::PreemptionNoticed& message) {
  message.set_container(put_name(value.container.value));
  message.set_in_us(value.in.count());
}

Status get(const event::v1::PreemptionNoticed& message, job::PreemptionNoticed& value) {
  MUSTER_TRY_STATUS(get_name(message.container(), value.container.value, "container"));
  value.in = Duration(message.in_us());
  return {};
}

void put(const job::DeadlinePassed& value, event::v1::DeadlinePassed& message) {
  message.set_deadline(value.deadline.value);
}

Status get(const event::v1::DeadlinePassed& message, job::DeadlinePassed& value) {
  value.deadline.value = message.deadline();
  return {};
}

void put(const job::StopAsked& value, event::v1::StopAsked& message) {
  message.set_by(put_text(value.by));
  message.set_interrupt(value.how == job::StopHow::Interrupt);
}

Status get(const event::v1::StopAsked& message, job::StopAsked& value) {
  value.how = message.interrupt() ? job::StopHow::Interrupt : job::StopHow::Terminate;
  return get_text(message.by(), value.by, "by");
}

void put(const job::MasterRecovered& value, event::v1::MasterRecovered& message) {
  message.set_epoch(value.epoch.value);
}

Status get(const event::v1::MasterRecovered& message, job::MasterRecovered& value) {
  value.epoch.value = message.epoch();
  return {};
}

void put(const job::NoticeTold& value, event::v1::NoticeTold& message) {
  message.set_notice(put_name(value.notice));
  message.set_way(enum_to_wire<event::v1::NoticeWay>(value.way));
  message.set_fate(enum_to_wire<event::v1::NoticeFate>(value.fate));
  message.set_tries(value.tries);
  message.set_trouble(put_text(value.trouble));
}

Status get(const event::v1::NoticeTold& message, job::NoticeTold& value) {
  MUSTER_TRY_STATUS(get_name(message.notice(), value.notice, "notice"));
  MUSTER_TRY_STATUS(enum_from_wire(message.way(), value.way, "way of a notice"));
  MUSTER_TRY_STATUS(enum_from_wire(message.fate(), value.fate, "fate of a notice"));
  value.tries = message.tries();
  return get_text(message.trouble(), value.trouble, "trouble");
}

}  // namespace muster::wire
