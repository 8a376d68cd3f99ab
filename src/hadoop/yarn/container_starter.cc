#include "hadoop/yarn/container_starter.h"

#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Duration kNotReadyPause = std::chrono::seconds(1);
constexpr Method kStart{.name = "startContainers", .repetition = Repetition::NotRepeated};
constexpr Method kStatuses{.name = "getContainerStatuses", .repetition = Repetition::Idempotent};

std::string cannot_start(const Grant& grant) {
  return fmt::format("cannot start {} at {}", to_string(grant.id), to_string(grant.node));
}

}  // namespace

rt::Async<Status> ContainerStarter::start(Grant grant, LaunchContext launch, HostTime deadline) {
  while (true) {
    auto tried = co_await start_once(&grant, &launch, deadline);
    MUSTER_CO_TRY(const Fate fate, std::move(tried));
    if (fate == Fate::Started) {
      co_return Status();
    }
    if (loop_->now() + kNotReadyPause >= deadline) {
      co_return cluster_error(
          fmt::format("{}: the node manager was not ready in time", cannot_start(grant)),
          Errc::DeadlineExceeded);
    }
    co_await rt::pause_for(*loop_, kNotReadyPause);
  }
}

rt::Async<Result<ContainerStarter::Fate>> ContainerStarter::start_once(const Grant* grant,
                                                                       const LaunchContext* launch,
                                                                       HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(grant->node));
  pb::StartContainersRequest request;
  auto* const entry = request.add_start_container_request();
  encode(*launch, entry->mutable_container_launch_context());
  encode(grant->token, entry->mutable_container_token());
  auto replied = co_await call<pb::StartContainersResponse>(lease.proxy(), kStart,
                                                            std::move(request), deadline);
  if (!replied.has_value()) {
    const auto& failure = replied.error();
    if (failure.may_be_done) {
      auto asked = co_await ask_fate(grant, deadline);
      co_return asked;
    }
    if (failure.is("NMNotYetReadyException")) {
      co_return Fate::NotYet;
    }
    co_return explain(failure, cannot_start(*grant));
  }
  if (replied->failed_requests().empty()) {
    co_return replied->succeeded_requests().empty() ? Fate::NotYet : Fate::Started;
  }
  const auto& exception = replied->failed_requests(0).exception();
  auto error = explain_exception(exception.class_name(), exception.message(), cannot_start(*grant));
  if (error.code == Errc::AlreadyExists) {
    co_return Fate::Started;
  }
  if (error.code == Errc::Unavailable) {
    co_return Fate::NotYet;
  }
  co_return error;
}

// The call may have arrived: a container that the node knows was started.
rt::Async<Result<ContainerStarter::Fate>> ContainerStarter::ask_fate(const Grant* grant,
                                                                     HostTime deadline) {
  MUSTER_CO_TRY(const auto lease, connections_->to(grant->node));
  pb::GetContainerStatusesRequest request;
  encode(grant->id, request.add_container_id());
  auto replied = co_await call_explained<pb::GetContainerStatusesResponse>(
      lease.proxy(), kStatuses, std::move(request),
      fmt::format("cannot ask whether {} runs at {}", to_string(grant->id), to_string(grant->node)),
      deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  co_return reply.status().empty() ? Fate::NotYet : Fate::Started;
}

}  // namespace muster::hadoop::yarn
