#include "hadoop/yarn/record_codec.h"

#include "hadoop/security.pb.h"
#include "hadoop/yarn_records.pb.h"

namespace muster::hadoop::yarn {
namespace {

// Memory and vcores have fields of their own; Java lists them among the others, too.
constexpr std::string_view kMemoryKey = "memory-mb";
constexpr std::string_view kVcoresKey = "vcores";
// Placeholder of an absent diagnostics text.
constexpr std::string_view kNoText = "N/A";

void encode_use(const NodeUse& from, pb::ResourceUtilization* to) {
  to->set_pmem(from.memory_mb);
  to->set_vmem(from.virtual_memory_mb);
  to->set_cpu(from.cores);
}

NodeUse decode_use(const pb::ResourceUtilization& from) {
  return {.memory_mb = from.pmem(), .virtual_memory_mb = from.vmem(), .cores = from.cpu()};
}

// Enumerators stand in the order of the numbers on the wire, which count from 1.
template <class State>
State state_from(bool present, int number) {
  return present ? static_cast<State>(number) : State::Unknown;
}

}  // namespace

int execution_number(ExecutionType execution) {
  switch (execution) {
    case ExecutionType::Guaranteed:
      return pb::EXECUTION_TYPE_GUARANTEED;
    case ExecutionType::Opportunistic:
      return pb::EXECUTION_TYPE_OPPORTUNISTIC;
  }
  return pb::EXECUTION_TYPE_GUARANTEED;
}

ExecutionType execution_from(int number) {
  return number == pb::EXECUTION_TYPE_OPPORTUNISTIC ? ExecutionType::Opportunistic
                                                    : ExecutionType::Guaranteed;
}

void encode(const ApplicationId& from, pb::ApplicationId* to) {
  to->set_id(from.number);
  to->set_cluster_timestamp(from.cluster_timestamp);
}

ApplicationId decode(const pb::ApplicationId& from) {
  return {.cluster_timestamp = from.cluster_timestamp(), .number = from.id()};
}

void encode(const AttemptId& from, pb::ApplicationAttemptId* to) {
  encode(from.application, to->mutable_application_id());
  to->set_attempt_id(from.number);
}

AttemptId decode(const pb::ApplicationAttemptId& from) {
  return {.application = decode(from.application_id()), .number = from.attempt_id()};
}

void encode(const ContainerId& from, pb::ContainerId* to) {
  encode(from.attempt, to->mutable_app_attempt_id());
  to->set_id(from.number);
}

ContainerId decode(const pb::ContainerId& from) {
  return {.attempt = decode(from.app_attempt_id()), .number = from.id()};
}

void encode(const NodeId& from, pb::NodeId* to) {
  to->set_host(from.host);
  to->set_port(from.port);
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

void encode(const ResourceType& from, pb::ResourceTypeInfo* to) {
  to->set_name(from.name);
  to->set_units(from.unit);
  to->set_type(pb::RESOURCE_TYPES_COUNTABLE);
}

ResourceType decode(const pb::ResourceTypeInfo& from) {
  return {.name = from.name(), .unit = from.units()};
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

void encode(const RequestRow& from, pb::ResourceRequest* to) {
  to->mutable_priority()->set_priority(from.priority);
  to->set_resource_name(from.place);
  encode(from.each, to->mutable_capability());
  to->set_num_containers(from.count);
  to->set_relax_locality(from.relax_locality);
  if (!from.node_label.empty()) {
    to->set_node_label_expression(from.node_label);
  }
  auto* const execution = to->mutable_execution_type_request();
  execution->set_execution_type(static_cast<pb::ExecutionType>(execution_number(from.execution)));
  execution->set_enforce_execution_type(from.enforce_execution);
  to->set_allocation_request_id(from.allocation.value);
}

RequestRow decode(const pb::ResourceRequest& from) {
  return {.priority = from.priority().priority(),
          .place = from.resource_name(),
          .each = decode(from.capability()),
          .count = from.num_containers(),
          .relax_locality = from.relax_locality(),
          .node_label = from.node_label_expression(),
          .execution = execution_from(from.execution_type_request().execution_type()),
          .enforce_execution = from.execution_type_request().enforce_execution_type(),
          .allocation = AllocationId(from.allocation_request_id())};
}

void encode(const Grant& from, pb::Container* to) {
  encode(from.id, to->mutable_id());
  encode(from.node, to->mutable_node_id());
  to->set_node_http_address(from.node_http_address);
  encode(from.each, to->mutable_resource());
  to->mutable_priority()->set_priority(from.priority);
  encode(from.token, to->mutable_container_token());
  to->set_execution_type(static_cast<pb::ExecutionType>(execution_number(from.execution)));
  to->set_allocation_request_id(from.allocation.value);
  to->set_version(from.version);
  for (const auto& tag : from.tags) {
    to->add_allocation_tags(tag);
  }
}

Grant decode(const pb::Container& from) {
  return {.id = decode(from.id()),
          .node = decode(from.node_id()),
          .node_http_address = from.node_http_address(),
          .each = decode(from.resource()),
          .priority = from.priority().priority(),
          .token = decode(from.container_token()),
          .execution = execution_from(from.execution_type()),
          .allocation = AllocationId(from.allocation_request_id()),
          .version = from.version(),
          .tags = {from.allocation_tags().begin(), from.allocation_tags().end()}};
}

void encode(const ContainerStatus& from, pb::ContainerStatus* to) {
  encode(from.id, to->mutable_container_id());
  if (from.state != ContainerState::Unknown) {
    to->set_state(static_cast<pb::ContainerState>(from.state));
  }
  to->set_diagnostics(from.diagnostics);
  to->set_exit_status(from.exit_status);
  encode(from.each, to->mutable_capability());
  to->set_execution_type(static_cast<pb::ExecutionType>(execution_number(from.execution)));
  for (const auto& [key, value] : from.attributes) {
    auto* const entry = to->add_container_attributes();
    entry->set_key(key);
    entry->set_value(value);
  }
}

ContainerStatus decode(const pb::ContainerStatus& from) {
  ContainerStatus to{.id = decode(from.container_id()),
                     .state = state_from<ContainerState>(from.has_state(), from.state()),
                     .exit_status = from.exit_status(),
                     .diagnostics = from.diagnostics(),
                     .each = decode(from.capability()),
                     .execution = execution_from(from.execution_type())};
  if (to.diagnostics == kNoText) {
    to.diagnostics.clear();
  }
  for (const auto& entry : from.container_attributes()) {
    to.attributes[entry.key()] = entry.value();
  }
  return to;
}

void encode(const NodeReport& from, pb::NodeReport* to) {
  encode(from.id, to->mutable_node_id());
  to->set_http_address(from.http_address);
  to->set_rack_name(from.rack);
  encode(from.used, to->mutable_used());
  encode(from.capacity, to->mutable_capability());
  to->set_num_containers(from.containers);
  if (from.state != NodeState::Unknown) {
    to->set_node_state(static_cast<pb::NodeState>(from.state));
  }
  to->set_health_report(from.health);
  to->set_last_health_report_time(from.health_time_ms);
  for (const auto& label : from.labels) {
    to->add_node_labels(label);
  }
  if (from.containers_use) {
    encode_use(*from.containers_use, to->mutable_containers_utilization());
  }
  if (from.node_use) {
    encode_use(*from.node_use, to->mutable_node_utilization());
  }
  if (from.decommissioning_timeout_s) {
    to->set_decommissioning_timeout(*from.decommissioning_timeout_s);
  }
  for (const auto& attribute : from.attributes) {
    auto* const entry = to->add_node_attributes();
    entry->mutable_attribute_key()->set_attribute_prefix(attribute.prefix);
    entry->mutable_attribute_key()->set_attribute_name(attribute.name);
    entry->set_attribute_value(attribute.value);
  }
}

NodeReport decode(const pb::NodeReport& from) {
  NodeReport to{.id = decode(from.node_id()),
                .http_address = from.http_address(),
                .rack = from.rack_name(),
                .used = decode(from.used()),
                .capacity = decode(from.capability()),
                .containers = from.num_containers(),
                .state = state_from<NodeState>(from.has_node_state(), from.node_state()),
                .health = from.health_report(),
                .health_time_ms = from.last_health_report_time(),
                .labels = {from.node_labels().begin(), from.node_labels().end()}};
  if (from.has_containers_utilization()) {
    to.containers_use = decode_use(from.containers_utilization());
  }
  if (from.has_node_utilization()) {
    to.node_use = decode_use(from.node_utilization());
  }
  if (from.has_decommissioning_timeout()) {
    to.decommissioning_timeout_s = from.decommissioning_timeout();
  }
  for (const auto& attribute : from.node_attributes()) {
    to.attributes.push_back({.prefix = attribute.attribute_key().attribute_prefix(),
                             .name = attribute.attribute_key().attribute_name(),
                             .value = attribute.attribute_value()});
  }
  return to;
}

}  // namespace muster::hadoop::yarn
