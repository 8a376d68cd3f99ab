#include "hadoop/yarn/container_stopper.h"

#include "hadoop/yarn/calling.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr Method kStop{.name = "stopContainers", .repetition = Repetition::Idempotent};
constexpr Method kLook{.name = "getContainerStatuses", .repetition = Repetition::Idempotent};

// Recognises what a node says of a container that it no longer has.
bool is_unknown(const pb::SerializedException& exception) {
  const std::string& words = exception.message();
  return words.find("is not handled by this NodeManager") != std::string::npos ||
         words.find("was recently stopped on node manager") != std::string::npos;
}

/// Returns what it means that the node could not do as asked; `what` is for people.
Result<ContainerStopper::Fate> fate_of(const pb::SerializedException& exception,
                                       const std::string& what) {
  if (is_unknown(exception)) {
    return ContainerStopper::Fate::Gone;
  }
  return explain_exception(exception.class_name(), exception.message(), what);
}

}  // namespace

rt::Async<Result<ContainerStopper::Fate>> ContainerStopper::stop(ContainerId id, NodeId node,
                                                                 HostTime deadline) {
  const std::string what = fmt::format("cannot stop {} at {}", to_string(id), to_string(node));
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::StopContainersRequest request;
  encode(id, request.add_container_id());
  auto replied = co_await call_explained<pb::StopContainersResponse>(
      lease.proxy(), kStop, std::move(request), what, deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (!reply.failed_requests().empty()) {
    co_return fate_of(reply.failed_requests(0).exception(), what);
  }
  auto looked = co_await look(id, std::move(node), deadline);
  co_return looked;
}

rt::Async<Result<ContainerStopper::Fate>> ContainerStopper::look(ContainerId id, NodeId node,
                                                                 HostTime deadline) {
  const std::string what =
      fmt::format("cannot ask whether {} runs at {}", to_string(id), to_string(node));
  MUSTER_CO_TRY(const auto lease, connections_->to(node));
  pb::GetContainerStatusesRequest request;
  encode(id, request.add_container_id());
  auto replied = co_await call_explained<pb::GetContainerStatusesResponse>(
      lease.proxy(), kLook, std::move(request), what, deadline);
  MUSTER_CO_TRY(const auto reply, std::move(replied));
  if (!reply.status().empty()) {
    const bool complete = reply.status(0).state() == pb::CONTAINER_STATE_COMPLETE;
    co_return complete ? Fate::Gone : Fate::Ending;
  }
  if (reply.failed_requests().empty()) {
    co_return Fate::Ending;
  }
  co_return fate_of(reply.failed_requests(0).exception(), what);
}

}  // namespace muster::hadoop::yarn
