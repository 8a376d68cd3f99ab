#include "hadoop/yarn/master_codec.h"

#include "hadoop/yarn/placement_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_master.pb.h"

#include <fmt/format.h>

#include <cmath>

namespace muster::hadoop::yarn {
namespace {

constexpr std::string_view kNobody = " ";

template <class From, class To>
void encode_all(const std::vector<From>& from, To* to) {
  for (const auto& one : from) {
    encode(one, to->Add());
  }
}

template <class To, class From>
std::vector<To> decode_all(const From& from) {
  std::vector<To> to;
  to.reserve(static_cast<size_t>(from.size()));
  for (const auto& one : from) {
    to.push_back(decode(one));
  }
  return to;
}

void encode_node_tokens(const std::vector<NodeToken>& from,
                        google::protobuf::RepeatedPtrField<pb::NMToken>* to) {
  for (const auto& one : from) {
    auto* const entry = to->Add();
    encode(one.node, entry->mutable_node_id());
    encode(one.token, entry->mutable_token());
  }
}

std::vector<NodeToken> decode_node_tokens(
    const google::protobuf::RepeatedPtrField<pb::NMToken>& from) {
  std::vector<NodeToken> to;
  for (const auto& entry : from) {
    to.push_back({.node = decode(entry.node_id()), .token = decode(entry.token())});
  }
  return to;
}

void encode_acl(const std::string& acl, pb::ApplicationAccessType type,
                pb::RegisterApplicationMasterResponse* to) {
  auto* const entry = to->add_application_acls();
  entry->set_access_type(type);
  entry->set_acl(acl.empty() ? std::string(kNobody) : acl);
}

void encode_update(const ContainerUpdate& from, pb::UpdateContainerRequest* to) {
  to->set_container_version(from.version);
  encode(from.container, to->mutable_container_id());
  to->set_update_type(static_cast<pb::ContainerUpdateType>(from.kind));
  if (from.each) {
    encode(*from.each, to->mutable_capability());
  }
  if (from.execution) {
    to->set_execution_type(static_cast<pb::ExecutionType>(execution_number(*from.execution)));
  }
}

ContainerUpdate decode_update(const pb::UpdateContainerRequest& from) {
  ContainerUpdate to{.container = decode(from.container_id()),
                     .version = from.container_version(),
                     .kind = static_cast<UpdateKind>(from.update_type())};
  if (from.has_capability()) {
    to.each = decode(from.capability());
  }
  if (from.has_execution_type()) {
    to.execution = execution_from(from.execution_type());
  }
  return to;
}

void encode_preemption(const Preemption& from, pb::PreemptionMessage* to) {
  for (const auto& id : from.certain) {
    encode(id, to->mutable_strict_contract()->add_container()->mutable_id());
  }
  for (const auto& id : from.negotiable) {
    encode(id, to->mutable_contract()->add_container()->mutable_id());
  }
  for (const auto& row : from.resources) {
    encode(row, to->mutable_contract()->add_resource()->mutable_resource());
  }
}

Preemption decode_preemption(const pb::PreemptionMessage& from) {
  Preemption to;
  for (const auto& container : from.strict_contract().container()) {
    to.certain.push_back(decode(container.id()));
  }
  for (const auto& container : from.contract().container()) {
    to.negotiable.push_back(decode(container.id()));
  }
  for (const auto& resource : from.contract().resource()) {
    to.resources.push_back(decode(resource.resource()));
  }
  return to;
}

Error damaged(std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Cluster,
          .message = fmt::format("the resource manager's answer makes no sense: {}", what)};
}

Status check(const pb::AllocateResponse& from) {
  const auto without_ids = [](const pb::Container& container) {
    return !container.has_id() || !container.has_node_id() || !container.has_container_token();
  };
  for (const auto& container : from.allocated_containers()) {
    if (without_ids(container)) {
      return damaged("a granted container has no id, node or token");
    }
  }
  for (const auto& container : from.containers_from_previous_attempts()) {
    if (without_ids(container)) {
      return damaged("a container of an earlier attempt has no id, node or token");
    }
  }
  for (const auto& status : from.completed_container_statuses()) {
    if (!status.has_container_id()) {
      return damaged("a completed container has no id");
    }
  }
  return {};
}

void decode_updates(const pb::AllocateResponse& from, AllocateAnswer& to) {
  for (const auto& error : from.update_errors()) {
    to.update_errors.push_back({.reason = error.reason(),
                                .update = decode_update(error.update_request()),
                                .current_version = error.current_container_version()});
  }
  for (const auto& updated : from.updated_containers()) {
    to.updated.push_back({.kind = static_cast<UpdateKind>(updated.update_type()),
                          .container = decode(updated.container())});
  }
}

void encode_updates(const AllocateAnswer& from, pb::AllocateResponse* to) {
  for (const auto& error : from.update_errors) {
    auto* const entry = to->add_update_errors();
    entry->set_reason(error.reason);
    encode_update(error.update, entry->mutable_update_request());
    entry->set_current_container_version(error.current_version);
  }
  for (const auto& updated : from.updated) {
    auto* const entry = to->add_updated_containers();
    entry->set_update_type(static_cast<pb::ContainerUpdateType>(updated.kind));
    encode(updated.container, entry->mutable_container());
  }
}

}  // namespace

void encode(const MasterPresence& from, pb::RegisterApplicationMasterRequest* to) {
  to->set_host(from.host);
  to->set_rpc_port(from.rpc_port);
  to->set_tracking_url(from.tracking_url);
  encode_all(from.constraints, to->mutable_placement_constraints());
}

MasterPresence decode(const pb::RegisterApplicationMasterRequest& from) {
  return {.host = from.host(),
          .rpc_port = from.rpc_port(),
          .tracking_url = from.tracking_url(),
          .constraints = decode_all<TaggedConstraint>(from.placement_constraints())};
}

void encode(const Registration& from, pb::RegisterApplicationMasterResponse* to) {
  encode(from.largest, to->mutable_maximum_capability());
  to->set_queue(from.queue);
  if (!from.client_token_key.empty()) {
    to->set_client_to_am_token_master_key(from.client_token_key);
  }
  encode_acl(from.view_acl, pb::APPLICATION_ACCESS_TYPE_VIEW_APP, to);
  encode_acl(from.modify_acl, pb::APPLICATION_ACCESS_TYPE_MODIFY_APP, to);
  encode_all(from.from_previous_attempts, to->mutable_containers_from_previous_attempts());
  encode_node_tokens(from.node_tokens, to->mutable_nm_tokens_from_previous_attempts());
  encode_all(from.resource_types, to->mutable_resource_types());
}

Registration decode(const pb::RegisterApplicationMasterResponse& from) {
  Registration to{
      .largest = decode(from.maximum_capability()),
      .queue = from.queue(),
      .client_token_key = from.client_to_am_token_master_key(),
      .from_previous_attempts = decode_all<Grant>(from.containers_from_previous_attempts()),
      .node_tokens = decode_node_tokens(from.nm_tokens_from_previous_attempts()),
      .resource_types = decode_all<ResourceType>(from.resource_types())};
  for (const auto& entry : from.application_acls()) {
    const auto acl = entry.acl() == kNobody ? std::string() : entry.acl();
    const bool view = entry.access_type() == pb::APPLICATION_ACCESS_TYPE_VIEW_APP;
    (view ? to.view_acl : to.modify_acl) = acl;
  }
  return to;
}

void encode(const AllocateAsk& from, pb::AllocateRequest* to) {
  encode_all(from.asks, to->mutable_ask());
  encode_all(from.releases, to->mutable_release());
  for (const auto& host : from.avoid) {
    to->mutable_blacklist_request()->add_blacklist_additions(host);
  }
  for (const auto& host : from.readmit) {
    to->mutable_blacklist_request()->add_blacklist_removals(host);
  }
  to->set_response_id(from.response_id);
  to->set_progress(std::isnan(from.progress) ? 0.0F
                                             : std::fmin(1.0F, std::fmax(0.0F, from.progress)));
  for (const auto& update : from.updates) {
    encode_update(update, to->add_update_requests());
  }
  encode_all(from.scheduling, to->mutable_scheduling_requests());
  if (!from.tracking_url.empty()) {
    to->set_tracking_url(from.tracking_url);
  }
}

AllocateAsk decode(const pb::AllocateRequest& from) {
  const auto& avoided = from.blacklist_request();
  AllocateAsk to{
      .response_id = from.response_id(),
      .progress = from.progress(),
      .asks = decode_all<RequestRow>(from.ask()),
      .releases = decode_all<ContainerId>(from.release()),
      .avoid = {avoided.blacklist_additions().begin(), avoided.blacklist_additions().end()},
      .readmit = {avoided.blacklist_removals().begin(), avoided.blacklist_removals().end()},
      .scheduling = decode_all<SchedulingRequest>(from.scheduling_requests()),
      .tracking_url = from.tracking_url()};
  for (const auto& update : from.update_requests()) {
    to.updates.push_back(decode_update(update));
  }
  return to;
}

void encode(const AllocateAnswer& from, pb::AllocateResponse* to) {
  to->set_response_id(from.response_id);
  if (from.command) {
    to->set_am_command(*from.command == MasterCommand::Resync ? pb::AM_COMMAND_RESYNC
                                                              : pb::AM_COMMAND_SHUTDOWN);
  }
  encode_all(from.granted, to->mutable_allocated_containers());
  encode_all(from.completed, to->mutable_completed_container_statuses());
  if (from.headroom) {
    encode(*from.headroom, to->mutable_limit());
  }
  encode_all(from.updated_nodes, to->mutable_updated_nodes());
  to->set_num_cluster_nodes(from.cluster_nodes);
  if (from.preemption != Preemption{}) {
    encode_preemption(from.preemption, to->mutable_preempt());
  }
  encode_node_tokens(from.node_tokens, to->mutable_nm_tokens());
  if (from.master_token) {
    encode(*from.master_token, to->mutable_am_rm_token());
  }
  if (from.priority) {
    to->mutable_application_priority()->set_priority(*from.priority);
  }
  if (from.collector) {
    to->mutable_collector_info()->set_collector_addr(from.collector->address);
    if (from.collector->token) {
      encode(*from.collector->token, to->mutable_collector_info()->mutable_collector_token());
    }
  }
  encode_updates(from, to);
  encode_all(from.from_previous_attempts, to->mutable_containers_from_previous_attempts());
  encode_all(from.rejected, to->mutable_rejected_scheduling_requests());
}

Result<AllocateAnswer> decode(const pb::AllocateResponse& from) {
  MUSTER_TRY_STATUS(check(from));
  AllocateAnswer to{
      .response_id = from.response_id(),
      .granted = decode_all<Grant>(from.allocated_containers()),
      .completed = decode_all<ContainerStatus>(from.completed_container_statuses()),
      .updated_nodes = decode_all<NodeReport>(from.updated_nodes()),
      .cluster_nodes = from.num_cluster_nodes(),
      .preemption = decode_preemption(from.preempt()),
      .node_tokens = decode_node_tokens(from.nm_tokens()),
      .from_previous_attempts = decode_all<Grant>(from.containers_from_previous_attempts()),
      .rejected = decode_all<RejectedRequest>(from.rejected_scheduling_requests())};
  if (from.has_am_command()) {
    to.command = from.am_command() == pb::AM_COMMAND_RESYNC ? MasterCommand::Resync
                                                            : MasterCommand::Shutdown;
  }
  if (from.has_limit()) {
    to.headroom = decode(from.limit());
  }
  if (from.has_am_rm_token()) {
    to.master_token = decode(from.am_rm_token());
  }
  if (from.has_application_priority()) {
    to.priority = from.application_priority().priority();
  }
  if (from.has_collector_info()) {
    to.collector = {.address = from.collector_info().collector_addr()};
    if (from.collector_info().has_collector_token()) {
      to.collector->token = decode(from.collector_info().collector_token());
    }
  }
  decode_updates(from, to);
  return to;
}

void encode(const Farewell& from, pb::FinishApplicationMasterRequest* to) {
  to->set_diagnostics(from.diagnostics);
  to->set_tracking_url(from.tracking_url);
  to->set_final_application_status(static_cast<pb::FinalApplicationStatus>(from.status));
}

Farewell decode(const pb::FinishApplicationMasterRequest& from) {
  return {.status = static_cast<FinalStatus>(from.final_application_status()),
          .diagnostics = from.diagnostics(),
          .tracking_url = from.tracking_url()};
}

}  // namespace muster::hadoop::yarn
