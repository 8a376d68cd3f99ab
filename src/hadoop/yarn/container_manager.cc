#include "hadoop/yarn/container_manager.h"

#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/node_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Duration kNotReadyPause = std::chrono::seconds(1);

Method repeatable(std::string_view name) {
  return {.name = name, .repetition = Repetition::Idempotent};
}

std::string at(std::string_view what, const NodeId& node) {
  return fmt::format("{} at {}", what, to_string(node));
}

// What is done or has failed for good is pending no more.
void settle(const ContainerOutcomes& reply, std::vector<ContainerStart>& pending,
            ContainerOutcomes& outcomes) {
  for (const auto& id : reply.done) {
    outcomes.done.push_back(id);
    std::erase_if(pending, [&](const auto& start) { return start.id == id; });
  }
  for (const auto& [id, error] : reply.failed) {
    if (error.code == Errc::Unavailable) {
      continue;
    }
    if (error.code == Errc::AlreadyExists) {
      outcomes.done.push_back(id);
    } else {
      outcomes.failed.insert_or_assign(id, error);
    }
    std::erase_if(pending, [&](const auto& start) { return start.id == id; });
  }
}

}  // namespace

rt::Async<Result<ContainerOutcomes>> ContainerManager::start(NodeId node,
                                                             std::vector<ContainerStart> starts,
                                                             HostTime deadline) {
  ContainerOutcomes outcomes;
  while (true) {
    auto status = co_await start_once(&node, &starts, &outcomes, deadline);
    MUSTER_CO_TRY_STATUS(std::move(status));
    if (starts.empty()) {
      co_return outcomes;
    }
    if (loop_->now() + kNotReadyPause >= deadline) {
      co_return cluster_error(at("the node manager was not ready in time", node),
                              Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, kNotReadyPause);
  }
}

rt::Async<Status> ContainerManager::start_once(const NodeId* node,
                                               std::vector<ContainerStart>* pending,
                                               ContainerOutcomes* outcomes, HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(*node));
  pb::StartContainersRequest request;
  for (const auto& start : *pending) {
    auto* const entry = request.add_start_container_request();
    encode(start.launch, entry->mutable_container_launch_context());
    encode(start.token, entry->mutable_container_token());
  }
  constexpr Method kStart{.name = "startContainers", .repetition = Repetition::NotRepeated};
  auto replied = co_await call<pb::StartContainersResponse>(lease.proxy(), kStart,
                                                            std::move(request), deadline);
  if (replied.has_value()) {
    settle(decode(*replied, *node), *pending, *outcomes);
    co_return Status();
  }
  const auto& failure = replied.error();
  if (failure.may_be_done) {
    auto sorted = co_await sort_out(node, pending, outcomes, deadline);
    co_return sorted;
  }
  if (failure.is("NMNotYetReadyException")) {
    co_return Status();
  }
  co_return explain(failure, at("cannot start containers", *node));
}

// The call may have arrived: what the node knows was started.
rt::Async<Status> ContainerManager::sort_out(const NodeId* node,
                                             std::vector<ContainerStart>* pending,
                                             ContainerOutcomes* outcomes, HostTime deadline) {
  std::vector<ContainerId> ids;
  for (const auto& start : *pending) {
    ids.push_back(start.id);
  }
  auto asked = co_await statuses(*node, std::move(ids), deadline);
  MUSTER_CO_TRY(const auto known, std::move(asked));
  for (const auto& status : known.known) {
    outcomes->done.push_back(status.id);
    std::erase_if(*pending, [&](const auto& start) { return start.id == status.id; });
  }
  co_return Status();
}

rt::Async<Result<ContainerOutcomes>> ContainerManager::stop(NodeId node,
                                                            std::vector<ContainerId> containers,
                                                            HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::StopContainersRequest request;
  for (const auto& id : containers) {
    encode(id, request.add_container_id());
  }
  auto replied = co_await call_explained<pb::StopContainersResponse>(
      lease.proxy(), repeatable("stopContainers"), std::move(request),
      at("cannot stop containers", node), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode(reply, node);
}

rt::Async<Result<ContainerStatuses>> ContainerManager::statuses(NodeId node,
                                                                std::vector<ContainerId> containers,
                                                                HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::GetContainerStatusesRequest request;
  for (const auto& id : containers) {
    encode(id, request.add_container_id());
  }
  auto replied = co_await call_explained<pb::GetContainerStatusesResponse>(
      lease.proxy(), repeatable("getContainerStatuses"), std::move(request),
      at("cannot ask how containers are", node), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode(reply, node);
}

rt::Async<Result<ContainerOutcomes>> ContainerManager::update(NodeId node,
                                                              std::vector<Token> tokens,
                                                              HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::ContainerUpdateRequest request;
  for (const auto& token : tokens) {
    encode(token, request.add_update_container_token());
  }
  auto replied = co_await call_explained<pb::ContainerUpdateResponse>(
      lease.proxy(), repeatable("updateContainer"), std::move(request),
      at("cannot update containers", node), deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return decode(reply, node);
}

}  // namespace muster::hadoop::yarn
