#include "hadoop/yarn/record_codec.h"
#include "hadoop/yarn_client.pb.h"
#include "testing/hadoop/encoded.h"
#include "testing/hadoop/fake_records.h"
#include "testing/hadoop/fake_resource_manager_sides.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::testing {

namespace yarn = hadoop::yarn;
namespace pb = ::hadoop::yarn;

namespace {

constexpr std::string_view kUnknownApplication =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException";

Served unknown_application(const yarn::ApplicationId& id) {
  return thrown(std::string(kUnknownApplication),
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
    return kill(request, caller);
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
    auto* const metrics = response.mutable_cluster_metrics();
    metrics->set_num_node_managers(static_cast<int32_t>(manager.nodes_.size()));
    metrics->set_num_active_nms(
        static_cast<int32_t>(std::ranges::count(manager.node_states_, yarn::NodeState::Running,
                                                [](const auto& entry) { return entry.second; })));
    return reply(response);
  }
  if (method == "getClusterNodes") {
    pb::GetClusterNodesResponse response;
    for (const auto* const node : manager.nodes_) {
      auto one = node->report();
      one.state = manager.node_states_.at(node->id());
      put(one, response.add_node_reports());
    }
    return reply(response);
  }
  if (method == "getQueueUserAcls") {
    pb::GetQueueUserAclsInfoResponse response;
    for (const auto& one : manager.options_.queues) {
      auto* const rights = response.add_queue_user_acls();
      rights->set_queue_name(one.name);
      rights->add_user_acls(pb::QUEUE_ACL_SUBMIT_APPLICATIONS);
    }
    return reply(response);
  }
  return thrown("org.apache.hadoop.ipc.RpcNoSuchMethodException",
                fmt::format("Unknown method {}", method));
}

Served FakeResourceManager::ClientSide::submit(const std::string& request,
                                               const FakeCaller& caller) {
  auto submission = parsed<pb::SubmitApplicationRequest>(request).application_submission_context();
  auto& manager = *manager_;
  const auto id = yarn::decode(submission.application_id());
  const auto master = yarn::decode(submission.resource());
  const auto& largest = manager.options_.largest;
  if (manager.applications_.contains(id)) {
    return reply(pb::SubmitApplicationResponse());
  }
  const auto* const queue = find_queue(manager.options_.queues, submission.queue());
  if (queue == nullptr) {
    return thrown(std::string(kYarnException),
                  fmt::format("Failed to submit {} to YARN : Application {} submitted by user {} "
                              "to unknown queue: {}",
                              to_string(id), to_string(id), caller.user, submission.queue()));
  }
  if (queue->state == yarn::QueueState::Stopped) {
    return thrown(std::string(kYarnException),
                  fmt::format("Failed to submit {} to YARN : "
                              "org.apache.hadoop.security.AccessControlException: Queue root.{} is "
                              "STOPPED. Cannot accept submission of application: {}",
                              to_string(id), submission.queue(), to_string(id)));
  }
  if (master.memory_mb > largest.memory_mb) {
    return thrown(
        "org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException",
        fmt::format("Invalid resource request! Cannot allocate containers as requested resource is "
                    "greater than maximum allowed allocation. Requested resource type=[memory-mb], "
                    "Requested resource=<memory:{}, vCores:{}>, maximum allowed "
                    "allocation=<memory:{}, vCores:{}>",
                    master.memory_mb, master.vcores, largest.memory_mb, largest.vcores));
  }
  auto& application = manager.applications_[id];
  application.id = id;
  application.submission = std::move(submission);
  application.user = caller.user;
  application.submitted_ms = manager.wall_ms();
  manager.launch_master(application);
  return reply(pb::SubmitApplicationResponse());
}

Served FakeResourceManager::ClientSide::report(const std::string& request) {
  const auto id = yarn::decode(parsed<pb::GetApplicationReportRequest>(request).application_id());
  const auto found = manager_->applications_.find(id);
  if (found == manager_->applications_.end()) {
    return unknown_application(id);
  }
  pb::GetApplicationReportResponse response;
  *response.mutable_application_report() = manager_->report_of(found->second);
  return reply(response);
}

Served FakeResourceManager::ClientSide::kill(const std::string& request, const FakeCaller& caller) {
  const auto message = parsed<pb::KillApplicationRequest>(request);
  const auto id = yarn::decode(message.application_id());
  const auto found = manager_->applications_.find(id);
  if (found == manager_->applications_.end()) {
    return unknown_application(id);
  }
  pb::KillApplicationResponse response;
  // The first call begins it; a later one is told that it is done.
  response.set_is_kill_completed(is_over(found->second.state));
  std::string why =
      fmt::format("Application {} was killed by user {} at 127.0.0.1", to_string(id), caller.user);
  if (!message.diagnostics().empty()) {
    why += " with diagnostic message: " + message.diagnostics();
  }
  manager_->kill(id, std::move(why));
  return reply(response);
}

Served FakeResourceManager::ClientSide::list(const std::string& request) {
  const auto filter = parsed<pb::GetApplicationsRequest>(request);
  pb::GetApplicationsResponse response;
  for (const auto& [id, application] : manager_->applications_) {
    const auto& tags = application.submission.application_tags();
    const bool has_tag =
        filter.application_tags_size() == 0 || std::ranges::any_of(tags, [&](const auto& tag) {
          return matches(filter.application_tags(), tag);
        });
    if (has_tag && matches(filter.users(), application.user)) {
      *response.add_applications() = manager_->report_of(application);
    }
  }
  return reply(response);
}

Served FakeResourceManager::ClientSide::queue(const std::string& request) const {
  const auto name = parsed<pb::GetQueueInfoRequest>(request).queue_name();
  const auto* const found = find_queue(manager_->options_.queues, name);
  if (found == nullptr) {
    return thrown(std::string(kYarnException), fmt::format("Unknown queue: {}", name));
  }
  pb::GetQueueInfoResponse response;
  auto* const info = response.mutable_queue_info();
  info->set_queue_name(found->name);
  info->set_state(static_cast<pb::QueueState>(found->state));
  for (const auto& label : found->labels) {
    info->add_accessible_node_labels(label);
  }
  return reply(response);
}

}  // namespace muster::testing
