#include "hadoop/yarn/record_codec.h"

#include "hadoop/security.pb.h"
#include "hadoop/yarn_records.pb.h"

namespace muster::hadoop::yarn {
namespace {

// Memory and vcores have fields of their own; Java lists them among the others, too.
constexpr std::string_view kMemoryKey = "memory-mb";
constexpr std::string_view kVcoresKey = "vcores";
// Placeholder for an absent diagnostics text.
constexpr std::string_view kNoText = "N/A";

}  // namespace

void encode(const ApplicationId& from, pb::ApplicationId* to) {
  to->set_id(from.number);
  to->set_cluster_timestamp(from.cluster_timestamp);
}

ApplicationId decode(const pb::ApplicationId& from) {
  return {.cluster_timestamp = from.cluster_timestamp(), .number = from.id()};
}

void encode(const ContainerId& from, pb::ContainerId* to) {
  auto* const attempt = to->mutable_app_attempt_id();
  encode(from.attempt.application, attempt->mutable_application_id());
  attempt->set_attempt_id(from.attempt.number);
  to->set_id(from.number);
}

ContainerId decode(const pb::ContainerId& from) {
  const auto& attempt = from.app_attempt_id();
  return {
      .attempt = {.application = decode(attempt.application_id()), .number = attempt.attempt_id()},
      .number = from.id()};
}

NodeId decode(const pb::NodeId& from) { return {.host = from.host(), .port = from.port()}; }

void encode(const Resource& from, pb::Resource* to) {
  to->set_memory(from.memory_mb);
  to->set_virtual_cores(from.vcores);
  for (const auto& [name, amount] : from.others) {
    auto* const entry = to->add_resource_value_map();
    entry->set_key(name);
    entry->set_value(amount.value);
    entry->set_units(amount.unit);
    entry->set_type(pb::RESOURCE_TYPES_COUNTABLE);
  }
}

Resource decode(const pb::Resource& from) {
  Resource to{.memory_mb = from.memory(), .vcores = from.virtual_cores()};
  for (const auto& entry : from.resource_value_map()) {
    if (entry.key() != kMemoryKey && entry.key() != kVcoresKey) {
      to.others[entry.key()] = {.value = entry.value(), .unit = entry.units()};
    }
  }
  return to;
}

void encode(const Token& from, ::hadoop::common::TokenProto* to) {
  to->set_identifier(from.identifier);
  to->set_password(from.password.reveal());
  to->set_kind(from.kind);
  to->set_service(from.service);
}

Token decode(const ::hadoop::common::TokenProto& from) {
  return {.identifier = from.identifier(),
          .password = Secret(from.password()),
          .kind = from.kind(),
          .service = from.service()};
}

Grant decode(const pb::Container& from) {
  return {.id = decode(from.id()),
          .node = decode(from.node_id()),
          .each = decode(from.resource()),
          .token = decode(from.container_token()),
          .allocation = AllocationId(from.allocation_request_id())};
}

ContainerStatus decode(const pb::ContainerStatus& from) {
  return {.id = decode(from.container_id()),
          .exit_status = from.exit_status(),
          .diagnostics = from.diagnostics() == kNoText ? std::string() : from.diagnostics()};
}

NodeReport decode(const pb::NodeReport& from) {
  // Enumerators are in the order of the numbers on the wire, which count from 1.
  return {.id = decode(from.node_id()),
          .http_address = from.http_address(),
          .used = decode(from.used()),
          .capacity = decode(from.capability()),
          .state = from.has_node_state() ? static_cast<NodeState>(from.node_state())
                                         : NodeState::Unknown,
          .health = from.health_report(),
          .labels = {from.node_labels().begin(), from.node_labels().end()},
          .rack = from.rack_name()};
}

}  // namespace muster::hadoop::yarn
