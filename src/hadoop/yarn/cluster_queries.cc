// The part of ApplicationClient that asks about the cluster, and its tokens.
#include "hadoop/security.pb.h"
#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/report_codec.h"
#include "hadoop/yarn_client.pb.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

Method method(std::string_view name) {
  return {.name = name, .repetition = Repetition::Idempotent};
}

}  // namespace

rt::Async<Result<ClusterMetrics>> ApplicationClient::metrics(HostTime deadline) {
  const pb::GetClusterMetricsRequest request;
  auto replied = co_await call_explained<pb::GetClusterMetricsResponse>(
      proxy_, method("getClusterMetrics"), request, "cannot count the cluster's nodes", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode(reply.cluster_metrics());
}

rt::Async<Result<std::vector<NodeReport>>> ApplicationClient::nodes(std::vector<NodeState> states,
                                                                    HostTime deadline) {
  pb::GetClusterNodesRequest request;
  for (const auto state : states) {
    if (state != NodeState::Unknown) {
      request.add_node_states(static_cast<pb::NodeState>(state));
    }
  }
  auto replied = co_await call_explained<pb::GetClusterNodesResponse>(
      proxy_, method("getClusterNodes"), std::move(request), "cannot list the cluster's nodes",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<NodeReport> reports;
  for (const auto& one : reply.node_reports()) {
    reports.push_back(decode(one));
  }
  co_return reports;
}

rt::Async<Result<std::vector<LabelsOfNode>>> ApplicationClient::labels_of_nodes(HostTime deadline) {
  const pb::GetNodesToLabelsRequest request;
  auto replied = co_await call_explained<pb::GetNodesToLabelsResponse>(
      proxy_, method("getNodeToLabels"), request, "cannot list the nodes' labels", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<LabelsOfNode> labels;
  for (const auto& one : reply.node_to_labels()) {
    labels.push_back(decode(one));
  }
  co_return labels;
}

rt::Async<Result<std::vector<NodeLabel>>> ApplicationClient::node_labels(HostTime deadline) {
  const pb::GetClusterNodeLabelsRequest request;
  auto replied = co_await call_explained<pb::GetClusterNodeLabelsResponse>(
      proxy_, method("getClusterNodeLabels"), request, "cannot list the cluster's node labels",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<NodeLabel> labels;
  for (const auto& one : reply.node_labels()) {
    labels.push_back(decode(one));
  }
  co_return labels;
}

rt::Async<Result<QueueInfo>> ApplicationClient::queue(std::string name, bool recursive,
                                                      HostTime deadline) {
  pb::GetQueueInfoRequest request;
  request.set_queue_name(name);
  request.set_include_applications(false);
  request.set_include_child_queues(recursive);
  request.set_recursive(recursive);
  auto replied = co_await call_explained<pb::GetQueueInfoResponse>(
      proxy_, method("getQueueInfo"), std::move(request),
      fmt::format("cannot ask about queue {}", name), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (!reply.has_queue_info()) {
    co_return user_error(fmt::format("the cluster has no queue {}", name), Errc::NotFound);
  }
  co_return decode(reply.queue_info());
}

rt::Async<Result<std::vector<QueueRights>>> ApplicationClient::queue_rights(HostTime deadline) {
  const pb::GetQueueUserAclsInfoRequest request;
  auto replied = co_await call_explained<pb::GetQueueUserAclsInfoResponse>(
      proxy_, method("getQueueUserAcls"), request, "cannot ask what the queues allow", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<QueueRights> rights;
  for (const auto& one : reply.queue_user_acls()) {
    rights.push_back(decode(one));
  }
  co_return rights;
}

rt::Async<Result<std::vector<ResourceType>>> ApplicationClient::resource_types(HostTime deadline) {
  const pb::GetAllResourceTypeInfoRequest request;
  auto replied = co_await call_explained<pb::GetAllResourceTypeInfoResponse>(
      proxy_, method("getResourceTypeInfo"), request, "cannot ask for the cluster's resource types",
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  std::vector<ResourceType> types;
  for (const auto& one : reply.resource_type_info()) {
    types.push_back(decode(one));
  }
  co_return types;
}

rt::Async<Result<Token>> ApplicationClient::delegation_token(std::string renewer,
                                                             HostTime deadline) {
  ::hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(renewer);
  // A repetition makes a second token, which nobody misses.
  auto replied = co_await call_explained<::hadoop::common::GetDelegationTokenResponseProto>(
      proxy_, method("getDelegationToken"), std::move(request),
      "cannot get a delegation token of the resource manager", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (!reply.has_token()) {
    co_return cluster_error("the resource manager gave no delegation token", Errc::Other);
  }
  co_return decode(reply.token());
}

rt::Async<Result<WallTime>> ApplicationClient::renew(Token token, HostTime deadline) {
  ::hadoop::common::RenewDelegationTokenRequestProto request;
  encode(token, request.mutable_token());
  auto replied = co_await call_explained<::hadoop::common::RenewDelegationTokenResponseProto>(
      proxy_, method("renewDelegationToken"), std::move(request),
      "cannot renew a delegation token of the resource manager", deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return WallTime(std::chrono::milliseconds(reply.newexpirytime()));
}

rt::Async<Status> ApplicationClient::cancel(Token token, HostTime deadline) {
  ::hadoop::common::CancelDelegationTokenRequestProto request;
  encode(token, request.mutable_token());
  auto replied = co_await call_explained<::hadoop::common::CancelDelegationTokenResponseProto>(
      proxy_, method("cancelDelegationToken"), std::move(request),
      "cannot cancel a delegation token of the resource manager", deadline);
  co_return status_of(replied);
}

}  // namespace muster::hadoop::yarn
