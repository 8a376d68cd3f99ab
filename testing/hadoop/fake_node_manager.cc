#include "testing/hadoop/fake_node_manager.h"

#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_containers.pb.h"
#include "testing/hadoop/encoded.h"
#include "testing/hadoop/fake_records.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace muster::testing {
namespace {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

constexpr std::string_view kInvalidToken =
    "org.apache.hadoop.security.token.SecretManager$InvalidToken";

template <class Response>
void refuse(const yarn::ContainerId& id, std::string_view exception_class, std::string message,
            Response& response) {
  auto* const entry = response.add_failed_requests();
  encode(id, entry->mutable_container_id());
  entry->mutable_exception()->set_class_name(std::string(exception_class));
  entry->mutable_exception()->set_message(std::move(message));
}

std::string not_handled(const yarn::ContainerId& id) {
  return fmt::format("Container {} is not handled by this NodeManager", to_string(id));
}

// Returns the container that a token proves; its identifier follows the prefix.
std::optional<yarn::ContainerId> proven(const std::string& identifier) {
  constexpr std::string_view kPrefix = "container-token:";
  if (!identifier.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const auto id = yarn::parse_container_id(identifier.substr(kPrefix.size()));
  return id.has_value() ? std::optional(*id) : std::nullopt;
}

}  // namespace

void FakeNodeManager::launch(const ContainerId& container, const LaunchContext& context) {
  auto& kept = containers_[container];
  kept.launch = context;
  ++kept.starts;
  if (on_start) {
    on_start(container, context);
  }
}

void FakeNodeManager::finish(const ContainerId& container, int32_t exit_status,
                             std::string diagnostics) {
  const auto found = containers_.find(container);
  if (found == containers_.end() || std::exchange(found->second.ended, true)) {
    return;
  }
  if (on_end) {
    on_end({.id = container, .exit_status = exit_status, .diagnostics = std::move(diagnostics)});
  }
}

void FakeNodeManager::stop(const ContainerId& container, int32_t exit_status,
                           std::string diagnostics) {
  if (on_stop) {
    on_stop(container);
  }
  if (!containers_.at(container).lingers) {
    finish(container, exit_status, std::move(diagnostics));
  }
}

void FakeNodeManager::lose_all() { containers_.clear(); }

bool FakeNodeManager::runs(const ContainerId& container) const {
  const auto found = containers_.find(container);
  return found != containers_.end() && !found->second.ended;
}

void FakeNodeManager::refuse_next_start(std::string exception_class, std::string message) {
  refusals_.emplace_back(std::move(exception_class), std::move(message));
}

Served FakeNodeManager::answer(std::string_view method, const std::string& request,
                               const FakeCaller& caller) {
  if (caller.token_identifier != fake_node_token(id())) {
    return thrown(std::string(kInvalidToken), "Given NMToken is not valid for this node");
  }
  if (method == "startContainers") {
    return start(request);
  }
  if (method == "stopContainers") {
    return stop(request);
  }
  if (method == "getContainerStatuses") {
    return statuses(request);
  }
  return thrown("org.apache.hadoop.ipc.RpcNoSuchMethodException",
                fmt::format("Unknown method {}", method));
}

Served FakeNodeManager::start(const std::string& request) {
  const auto message = parsed<pb::StartContainersRequest>(request);
  pb::StartContainersResponse response;
  for (const auto& one : message.start_container_request()) {
    const auto container = proven(one.container_token().identifier());
    const std::string why = container && refuses ? refuses(*container) : std::string();
    if (!container) {
      refuse({}, kInvalidToken, "Invalid container token", response);
    } else if (!refusals_.empty()) {
      refuse(*container, refusals_.front().first, refusals_.front().second, response);
      refusals_.erase(refusals_.begin());
    } else if (!why.empty()) {
      refuse(*container, kYarnException, why, response);
    } else if (containers_.contains(*container)) {
      refuse(*container, kYarnException,
             fmt::format("Container {} already is running on this node!!", to_string(*container)),
             response);
    } else {
      encode(*container, response.add_succeeded_requests());
      launch(*container, one.container_launch_context());
    }
  }
  return reply(response);
}

Served FakeNodeManager::stop(const std::string& request) {
  const auto message = parsed<pb::StopContainersRequest>(request);
  pb::StopContainersResponse response;
  for (const auto& one : message.container_id()) {
    const auto container = yarn::decode(one);
    if (!containers_.contains(container)) {
      refuse(container, kYarnException, not_handled(container), response);
      continue;
    }
    encode(container, response.add_succeeded_requests());
    if (runs(container)) {
      stop(container, static_cast<int32_t>(yarn::ExitStatus::StoppedByMaster),
           "Container killed by the ApplicationMaster.");
    }
  }
  return reply(response);
}

Served FakeNodeManager::statuses(const std::string& request) const {
  const auto message = parsed<pb::GetContainerStatusesRequest>(request);
  pb::GetContainerStatusesResponse response;
  for (const auto& one : message.container_id()) {
    const auto container = yarn::decode(one);
    const auto found = containers_.find(container);
    if (found == containers_.end()) {
      refuse(container, kYarnException, not_handled(container), response);
    } else {
      auto* const status = response.add_status();
      encode(container, status->mutable_container_id());
      status->set_state(found->second.ended ? pb::CONTAINER_STATE_COMPLETE
                                            : pb::CONTAINER_STATE_RUNNING);
    }
  }
  return reply(response);
}

}  // namespace muster::testing
