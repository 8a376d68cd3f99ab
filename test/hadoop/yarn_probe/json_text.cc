#include "json_text.h"

namespace muster::probe {

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
  json::array tags;
  for (const auto& tag : report.tags) {
    tags.emplace_back(tag);
  }
  return {{"id", to_string(report.id)},
          {"state", std::string(to_string(report.state))},
          {"final", std::string(to_string(report.final_status))},
          {"attempt", report.attempt ? report.attempt->number : 0},
          {"user", report.user},
          {"queue", report.queue},
          {"name", report.name},
          {"type", report.type},
          {"tags", tags},
          {"diagnostics", report.diagnostics},
          {"tracking_url", report.original_tracking_url},
          {"progress", report.progress},
          {"priority", report.priority},
          {"lifetime_left",
           report.lifetime_left_s ? json::value(*report.lifetime_left_s) : json::value(nullptr)},
          {"containers", report.use.containers},
          {"has_token", report.master_token.has_value()}};
}

json::object of(const yarn::Grant& grant) {
  return {{"id", to_string(grant.id)},
          {"node", to_string(grant.node)},
          {"each", of(grant.each)},
          {"allocation", grant.allocation.value}};
}

json::object of(const yarn::ContainerStatus& status) {
  return {{"id", to_string(status.id)},
          {"state", std::string(to_string(status.state))},
          {"exit", status.exit_status},
          {"means", yarn::describe_exit(status.exit_status)},
          {"diagnostics", status.diagnostics}};
}

json::object of(const yarn::NodeReport& node) {
  json::array labels;
  for (const auto& label : node.labels) {
    labels.emplace_back(label);
  }
  return {{"id", to_string(node.id)},      {"state", std::string(to_string(node.state))},
          {"capacity", of(node.capacity)}, {"used", of(node.used)},
          {"containers", node.containers}, {"labels", labels},
          {"health", node.health}};
}

// NOLINTNEXTLINE(misc-no-recursion): queues nest.
json::object of(const yarn::QueueInfo& queue) {
  json::array children;
  for (const auto& child : queue.children) {
    children.emplace_back(of(child));
  }
  return {{"name", queue.name},
          {"state", std::string(to_string(queue.state))},
          {"capacity", queue.capacity},
          {"has_statistics", queue.statistics.has_value()},
          {"shares", queue.shares.size()},
          {"children", children}};
}

json::object of(const yarn::QueueLoad& queue) {
  return {{"path", queue.path},
          {"state", queue.state},
          {"leaf", queue.leaf},
          {"capacity", queue.capacity},
          {"master_limit", of(queue.master_limit)}};
}

json::object of(const yarn::Activity& activity) {
  json::array nodes;
  for (const auto& node : activity.nodes) {
    nodes.emplace_back(node);
  }
  return {{"state", activity.state}, {"diagnostic", activity.diagnostic}, {"nodes", nodes}};
}

json::object of(const yarn::AttemptPage& attempt) {
  return {{"number", attempt.number}, {"node", attempt.node}, {"logs", attempt.logs}};
}

json::object of(const yarn::ContainerOutcomes& outcomes) {
  json::array done;
  for (const auto& id : outcomes.done) {
    done.emplace_back(to_string(id));
  }
  json::object failed;
  for (const auto& [id, error] : outcomes.failed) {
    failed[to_string(id)] = of(error);
  }
  return {{"done", done}, {"failed", failed}};
}

}  // namespace muster::probe
