#include "json_text.h"

#include "hadoop/yarn/record_codec.h"

#include <string_view>

namespace muster::probe {
namespace {

std::string_view word_of(pb::FinalApplicationStatus status) {
  switch (status) {
    case pb::FINAL_APPLICATION_STATUS_UNDEFINED:
      return "undefined";
    case pb::FINAL_APPLICATION_STATUS_SUCCEEDED:
      return "succeeded";
    case pb::FINAL_APPLICATION_STATUS_FAILED:
      return "failed";
    case pb::FINAL_APPLICATION_STATUS_KILLED:
      return "killed";
    case pb::FINAL_APPLICATION_STATUS_ENDED:
      return "ended";
  }
  return "unknown";
}

}  // namespace

json::object of(const Error& error) {
  return {{"error", error.message},
          {"code", std::string(to_string(error.code))},
          {"blame", std::string(to_string(error.blame))}};
}

json::object of(const yarn::Resource& resource) {
  json::object to{{"memory", resource.memory_mb}, {"vcores", resource.vcores}};
  for (const auto& [name, amount] : resource.others) {
    to[name] = amount.value;
  }
  return to;
}

json::object of(const yarn::ApplicationReport& report) {
  return {{"id", to_string(report.id)}, {"state", std::string(to_string(report.state))}};
}

json::object of(const pb::ApplicationReport& report) {
  json::array tags;
  for (const auto& tag : report.application_tags()) {
    tags.emplace_back(tag);
  }
  const auto state = static_cast<yarn::ApplicationState>(report.yarn_application_state());
  return {{"id", to_string(yarn::decode(report.application_id()))},
          {"state", std::string(to_string(state))},
          {"final", std::string(word_of(report.final_application_status()))},
          {"user", report.user()},
          {"queue", report.queue()},
          {"type", report.application_type()},
          {"tags", tags},
          {"diagnostics", report.diagnostics()},
          {"tracking_url", report.original_tracking_url()},
          {"containers", report.app_resource_usage().num_used_containers()},
          // If there is no token, Java fills it in with empty parts.
          {"has_token", !report.am_rm_token().identifier().empty()}};
}

json::object of(const yarn::Grant& grant) {
  return {{"id", to_string(grant.id)},
          {"node", to_string(grant.node)},
          {"each", of(grant.each)},
          {"allocation", grant.allocation.value}};
}

json::object of(const yarn::ContainerStatus& status) {
  return {{"id", to_string(status.id)},
          {"exit", status.exit_status},
          {"means", yarn::describe_exit(status.exit_status)},
          {"diagnostics", status.diagnostics}};
}

json::object of(const yarn::NodeReport& node) {
  json::array labels;
  for (const auto& label : node.labels) {
    labels.emplace_back(label);
  }
  return {{"id", to_string(node.id)},
          {"state", std::string(to_string(node.state))},
          {"capacity", of(node.capacity)},
          {"used", of(node.used)},
          {"labels", labels},
          {"health", node.health}};
}

json::object of(const yarn::QueueInfo& queue) {
  return {{"name", queue.name}, {"state", std::string(to_string(queue.state))}};
}

json::object of(const yarn::QueueLoad& queue) {
  return {
      {"path", queue.path}, {"capacity", queue.capacity}, {"master_limit", of(queue.master_limit)}};
}

json::object of(const yarn::Activity& activity) {
  json::array nodes;
  for (const auto& node : activity.nodes) {
    nodes.emplace_back(node);
  }
  return {{"state", activity.state}, {"diagnostic", activity.diagnostic}, {"nodes", nodes}};
}

}  // namespace muster::probe
