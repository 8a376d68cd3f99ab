#include "hadoop/yarn/launch_codec.h"
#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn/report_codec.h"
#include "hadoop/yarn_client.pb.h"
#include "testing/hadoop/fake_resource_manager_sides.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

namespace {

constexpr std::string_view kNotFound =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException";
constexpr std::string_view kYarnException = "org.apache.hadoop.yarn.exceptions.YarnException";

template <class Message>
Message parse(const std::string& bytes) {
  Message message;
  message.ParseFromString(bytes);
  return message;
}

template <class Message>
Served reply(const Message& message) {
  return {.reply = message.SerializeAsString()};
}

Served unknown_application(const yarn::ApplicationId& id) {
  return thrown(std::string(kNotFound),
                fmt::format("Application with id '{}' doesn't exist in RM. Please check that the "
                            "job submission was successful.",
                            to_string(id)));
}

const yarn::QueueInfo* find_queue(const std::vector<yarn::QueueInfo>& queues,
                                  std::string_view name) {
  const auto found = std::ranges::find(queues, name, &yarn::QueueInfo::name);
  return found == queues.end() ? nullptr : &*found;
}

template <class List, class Value>
bool matches(const List& wanted, const Value& value) {
  return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

}  // namespace

Served FakeResourceManager::ClientSide::answer(std::string_view method, const std::string& request,
                                               const FakeCaller& caller) {
  if (method == "submitApplication") {
    return submit(request, caller);
  }
  if (method == "getApplicationReport") {
    return report(request);
  }
  if (method == "forceKillApplication") {
    return kill(request);
  }
  if (method == "getApplications") {
    return list(request);
  }
  if (method == "getQueueInfo") {
    return queue(request);
  }
  return answer_about_cluster(method, request);
}

Served FakeResourceManager::ClientSide::answer_about_cluster(std::string_view method,
                                                             const std::string& /*request*/) {
  auto& manager = *manager_;
  if (method == "getNewApplication") {
    pb::GetNewApplicationResponse response;
    encode(yarn::ApplicationId{.cluster_timestamp = manager.started_ms_,
                               .number = ++manager.applications_made_},
           response.mutable_application_id());
    encode(manager.options_.largest, response.mutable_maximum_capability());
    return reply(response);
  }
  if (method == "getClusterMetrics") {
    pb::GetClusterMetricsResponse response;
    yarn::ClusterMetrics metrics{.nodes = static_cast<int32_t>(manager.nodes_.size())};
    for (const auto& [id, state] : manager.node_states_) {
      metrics.active += state == yarn::NodeState::Running ? 1 : 0;
      metrics.lost += state == yarn::NodeState::Lost ? 1 : 0;
      metrics.unhealthy += state == yarn::NodeState::Unhealthy ? 1 : 0;
    }
    encode(metrics, response.mutable_cluster_metrics());
    return reply(response);
  }
  if (method == "getClusterNodes") {
    pb::GetClusterNodesResponse response;
    for (const auto* const node : manager.nodes_) {
      auto one = node->report();
      one.state = manager.node_states_.at(node->id());
      encode(one, response.add_node_reports());
    }
    return reply(response);
  }
  if (method == "getResourceTypeInfo") {
    pb::GetAllResourceTypeInfoResponse response;
    for (const auto& type : manager.options_.types) {
      encode(type, response.add_resource_type_info());
    }
    return reply(response);
  }
  if (method == "getQueueUserAcls") {
    pb::GetQueueUserAclsInfoResponse response;
    for (const auto& one : manager.options_.queues) {
      encode(yarn::QueueRights{.queue = one.name, .submit = true}, response.add_queue_user_acls());
    }
    return reply(response);
  }
  return thrown("org.apache.hadoop.ipc.RpcNoSuchMethodException",
                fmt::format("Unknown method {}", method));
}

Served FakeResourceManager::ClientSide::submit(const std::string& request,
                                               const FakeCaller& caller) {
  auto submission =
      yarn::decode(parse<pb::SubmitApplicationRequest>(request).application_submission_context());
  auto& manager = *manager_;
  const auto id = submission.id;
  if (manager.applications_.contains(id)) {
    return reply(pb::SubmitApplicationResponse());
  }
  const auto* const queue = find_queue(manager.options_.queues, submission.queue);
  if (queue == nullptr) {
    return thrown(std::string(kYarnException),
                  fmt::format("Failed to submit {} to YARN : Application {} submitted by user {} "
                              "to unknown queue: {}",
                              to_string(id), to_string(id), caller.user, submission.queue));
  }
  if (queue->state == yarn::QueueState::Stopped) {
    return thrown(std::string(kYarnException),
                  fmt::format("Failed to submit {} to YARN : "
                              "org.apache.hadoop.security.AccessControlException: Queue root.{} is "
                              "STOPPED. Cannot accept submission of application: {}",
                              to_string(id), submission.queue, to_string(id)));
  }
  if (submission.master_resources.memory_mb > manager.options_.largest.memory_mb) {
    return thrown(
        "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException",
        fmt::format("Invalid resource request! Cannot allocate containers as requested resource is "
                    "greater than maximum allowed allocation. Requested resource type=[memory-mb], "
                    "Requested resource=<memory:{}, vCores:{}>, maximum allowed "
                    "allocation=<memory:{}, vCores:{}>",
                    submission.master_resources.memory_mb, submission.master_resources.vcores,
                    manager.options_.largest.memory_mb, manager.options_.largest.vcores));
  }
  auto& application = manager.applications_[id];
  application.submission = std::move(submission);
  application.user = caller.user;
  manager.launch_master(application);
  return reply(pb::SubmitApplicationResponse());
}

Served FakeResourceManager::ClientSide::report(const std::string& request) {
  const auto id = yarn::decode(parse<pb::GetApplicationReportRequest>(request).application_id());
  const auto found = manager_->applications_.find(id);
  if (found == manager_->applications_.end()) {
    return unknown_application(id);
  }
  pb::GetApplicationReportResponse response;
  encode(manager_->report_of(found->second), response.mutable_application_report());
  return reply(response);
}

Served FakeResourceManager::ClientSide::kill(const std::string& request) {
  const auto message = parse<pb::KillApplicationRequest>(request);
  const auto id = yarn::decode(message.application_id());
  const auto found = manager_->applications_.find(id);
  if (found == manager_->applications_.end()) {
    return unknown_application(id);
  }
  pb::KillApplicationResponse response;
  // The first call begins it; a later one hears that it is done.
  response.set_is_kill_completed(is_over(found->second.state));
  manager_->kill(id, message.diagnostics());
  return reply(response);
}

Served FakeResourceManager::ClientSide::list(const std::string& request) {
  const auto filter = parse<pb::GetApplicationsRequest>(request);
  pb::GetApplicationsResponse response;
  for (const auto& [id, application] : manager_->applications_) {
    const auto& tags = application.submission.tags;
    const bool has_tag =
        filter.application_tags_size() == 0 || std::ranges::any_of(tags, [&](const auto& tag) {
          return matches(filter.application_tags(), tag);
        });
    if (has_tag && matches(filter.application_types(), application.submission.type) &&
        matches(filter.application_states(), static_cast<int>(application.state)) &&
        matches(filter.users(), application.user) &&
        matches(filter.queues(), application.submission.queue)) {
      encode(manager_->report_of(application), response.add_applications());
    }
  }
  return reply(response);
}

Served FakeResourceManager::ClientSide::queue(const std::string& request) const {
  const auto name = parse<pb::GetQueueInfoRequest>(request).queue_name();
  const auto* const found = find_queue(manager_->options_.queues, name);
  if (found == nullptr) {
    return thrown(std::string(kYarnException), fmt::format("Unknown queue: {}", name));
  }
  pb::GetQueueInfoResponse response;
  encode(*found, response.mutable_queue_info());
  return reply(response);
}

}  // namespace muster::testing
