// The part of ContainerManager that changes a running container.
#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/container_manager.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/node_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"

#include <fmt/format.h>

#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

// A process that is started anew twice is one that was interrupted twice.
Method once(std::string_view name) { return {.name = name, .repetition = Repetition::NotRepeated}; }

Method repeatable(std::string_view name) {
  return {.name = name, .repetition = Repetition::Idempotent};
}

std::string about(std::string_view what, const ContainerId& container, const NodeId& node) {
  return fmt::format("{} {} at {}", what, to_string(container), to_string(node));
}

}  // namespace

rt::Async<Status> ContainerManager::localize(NodeId node, ContainerId container,
                                             std::map<std::string, LocalResource> files,
                                             HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::ResourceLocalizationRequest request;
  encode(container, request.mutable_container_id());
  for (const auto& [name, file] : files) {
    auto* const entry = request.add_local_resources();
    entry->set_key(name);
    encode(file, entry->mutable_value());
  }
  auto replied = co_await call_explained<pb::ResourceLocalizationResponse>(
      lease.proxy(), repeatable("localize"), std::move(request),
      about("cannot add files to", container, node), deadline);
  co_return status_of(replied);
}

rt::Async<Result<std::vector<Localization>>> ContainerManager::localizations(NodeId node,
                                                                             ContainerId container,
                                                                             HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::GetLocalizationStatusesRequest request;
  encode(container, request.add_container_id());
  const auto what = about("cannot ask for the files of", container, node);
  auto replied = co_await call_explained<pb::GetLocalizationStatusesResponse>(
      lease.proxy(), repeatable("getLocalizationStatuses"), std::move(request), what, deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (reply.failed_requests_size() > 0) {
    const auto& exception = reply.failed_requests(0).exception();
    co_return explain_exception(exception.class_name(), exception.message(), what);
  }
  co_return decode(reply);
}

rt::Async<Status> ContainerManager::reinitialize(NodeId node, ContainerId container,
                                                 LaunchContext launch, bool commit,
                                                 HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::ReInitializeContainerRequest request;
  encode(container, request.mutable_container_id());
  encode(launch, request.mutable_container_launch_context());
  request.set_auto_commit(commit);
  auto replied = co_await call_explained<pb::ReInitializeContainerResponse>(
      lease.proxy(), once("reInitializeContainer"), std::move(request),
      about("cannot start something else in", container, node), deadline);
  co_return status_of(replied);
}

template <class Reply>
rt::Async<Status> ContainerManager::change(NodeId node, ContainerId container,
                                           std::string_view method, std::string what,
                                           HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::ContainerId request;
  encode(container, &request);
  auto replied = co_await call_explained<Reply>(lease.proxy(), once(method), std::move(request),
                                                about(what, container, node), deadline);
  co_return status_of(replied);
}

rt::Async<Status> ContainerManager::commit(NodeId node, ContainerId container, HostTime deadline) {
  return change<pb::CommitResponse>(std::move(node), container, "commitLastReInitialization",
                                    "cannot keep what runs in", deadline);
}

rt::Async<Status> ContainerManager::roll_back(NodeId node, ContainerId container,
                                              HostTime deadline) {
  return change<pb::RollbackResponse>(std::move(node), container, "rollbackLastReInitialization",
                                      "cannot return to what ran in", deadline);
}

rt::Async<Status> ContainerManager::restart(NodeId node, ContainerId container, HostTime deadline) {
  return change<pb::RestartContainerResponse>(std::move(node), container, "restartContainer",
                                              "cannot restart", deadline);
}

}  // namespace muster::hadoop::yarn
