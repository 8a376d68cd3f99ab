#include "hadoop/yarn/rest_reads.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

namespace json = boost::json;

Error no_page(std::string_view what) {
  return {.code = Errc::Corrupt,
          .blame = Blame::Cluster,
          .message = fmt::format("the resource manager's page is not {}", what)};
}

Result<json::object> parse_page(std::string_view text, std::string_view what) {
  boost::system::error_code error;
  auto page = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !page.is_object()) {
    return no_page(what);
  }
  return std::move(page.as_object());
}

const json::object* object_in(const json::object& from, std::string_view key) {
  const auto* const value = from.if_contains(key);
  return value == nullptr ? nullptr : value->if_object();
}

// In some versions a single element appears without its list.
std::vector<const json::object*> objects_in(const json::object& from, std::string_view key) {
  std::vector<const json::object*> objects;
  const auto* const value = from.if_contains(key);
  if (value == nullptr) {
    return objects;
  }
  if (const auto* const one = value->if_object(); one != nullptr) {
    objects.push_back(one);
  } else if (const auto* const list = value->if_array(); list != nullptr) {
    for (const auto& element : *list) {
      if (element.is_object()) {
        objects.push_back(&element.get_object());
      }
    }
  }
  return objects;
}

std::string text_in(const json::object& from, std::string_view key) {
  const auto* const value = from.if_contains(key);
  if (value == nullptr || !value->is_string()) {
    return {};
  }
  return std::string(value->get_string());
}

double number_in(const json::object& from, std::string_view key) {
  const auto* const value = from.if_contains(key);
  if (value == nullptr) {
    return 0;
  }
  boost::system::error_code error;
  const auto number = value->to_number<double>(error);
  return error ? 0 : number;
}

int64_t count_in(const json::object& from, std::string_view key) {
  return static_cast<int64_t>(number_in(from, key));
}

std::vector<std::string> texts_in(const json::object& from, std::string_view key) {
  std::vector<std::string> texts;
  const auto* const value = from.if_contains(key);
  if (value == nullptr || !value->is_array()) {
    return texts;
  }
  for (const auto& element : value->get_array()) {
    if (element.is_string()) {
      texts.emplace_back(element.get_string());
    }
  }
  return texts;
}

Resource resource_in(const json::object& from, std::string_view key) {
  Resource resource;
  const auto* const object = object_in(from, key);
  if (object == nullptr) {
    return resource;
  }
  resource.memory_mb = count_in(*object, "memory");
  resource.vcores = static_cast<int32_t>(count_in(*object, "vCores"));
  const auto* const others = object_in(*object, "resourceInformations");
  if (others == nullptr) {
    return resource;
  }
  for (const auto* const one : objects_in(*others, "resourceInformation")) {
    const auto name = text_in(*one, "name");
    if (name != "memory-mb" && name != "vcores") {
      resource.others[name] = {.value = count_in(*one, "value"), .unit = text_in(*one, "units")};
    }
  }
  return resource;
}

// NOLINTNEXTLINE(misc-no-recursion): queues nest; the parser bounds the depth.
void add_queue(const json::object& from, const std::string& parent, std::vector<QueueLoad>& to) {
  const auto name = text_in(from, "queueName");
  const auto path = parent.empty() ? name : parent + "." + name;
  const auto* const below = object_in(from, "queues");
  to.push_back({.path = path,
                .capacity = number_in(from, "capacity"),
                .used = number_in(from, "usedCapacity"),
                .max = number_in(from, "maxCapacity"),
                .absolute_used = number_in(from, "absoluteUsedCapacity"),
                .pending_containers = count_in(from, "pendingContainers"),
                .resources_used = resource_in(from, "resourcesUsed"),
                .master_limit = resource_in(from, "AMResourceLimit"),
                .master_used = resource_in(from, "usedAMResource"),
                .fair = {}});
  if (below != nullptr) {
    for (const auto* const queue : objects_in(*below, "queue")) {
      add_queue(*queue, path, to);
    }
  }
}

// In some versions the list is under "queue", in others it is the value itself.
std::vector<const json::object*> fair_children(const json::object& queue) {
  const auto* const below = object_in(queue, "childQueues");
  return below == nullptr ? objects_in(queue, "childQueues") : objects_in(*below, "queue");
}

// NOLINTNEXTLINE(misc-no-recursion): queues nest; the parser bounds the depth.
void add_fair_queue(const json::object& from, std::vector<QueueLoad>& to) {
  constexpr int64_t kNoLimit = std::numeric_limits<int32_t>::max();
  FairLimits limits{.most = resource_in(from, "maxResources"),
                    .share = resource_in(from, "fairResources"),
                    .applications_max = {}};
  if (const auto most = count_in(from, "maxApps"); from.contains("maxApps") && most < kNoLimit) {
    limits.applications_max = most;
  }
  to.push_back({.path = text_in(from, "queueName"),
                .pending_containers = count_in(from, "pendingContainers"),
                .resources_used = resource_in(from, "usedResources"),
                .master_limit = resource_in(from, "amMaxResources"),
                .master_used = resource_in(from, "amUsedResources"),
                .fair = std::move(limits)});
  for (const auto* const child : fair_children(from)) {
    add_fair_queue(*child, to);
  }
}

// The same text about several nodes, or repeated about one, is one activity.
void add_activity(Activity activity, std::vector<Activity>& to) {
  const auto same = std::ranges::find_if(to, [&](const Activity& one) {
    return one.state == activity.state && one.diagnostic == activity.diagnostic;
  });
  if (same == to.end()) {
    activity.count = std::max(activity.count, static_cast<int64_t>(activity.nodes.size()));
    to.push_back(std::move(activity));
    return;
  }
  for (auto& node : activity.nodes) {
    if (std::ranges::find(same->nodes, node) == same->nodes.end()) {
      same->nodes.push_back(std::move(node));
    }
  }
  same->count = std::max(same->count, static_cast<int64_t>(same->nodes.size()));
}

// Returns what is at one level, with the node of the level above if it names none.
Activity activity_at(const json::object& from, const std::string& above) {
  Activity activity{.state = text_in(from, "allocationState"),
                    .diagnostic = text_in(from, "diagnostic"),
                    .nodes = texts_in(from, "nodeIds"),
                    .count = std::max<int64_t>(count_in(from, "count"), 1)};
  const auto node = text_in(from, "nodeId");
  if (!node.empty() || (activity.nodes.empty() && !above.empty())) {
    activity.nodes.push_back(node.empty() ? above : node);
  }
  return activity;
}

void add_allocation(const json::object& allocation, std::vector<Activity>& to) {
  const auto node = text_in(allocation, "nodeId");
  const auto requests = objects_in(allocation, "children");
  if (requests.empty()) {
    add_activity(activity_at(allocation, node), to);
  }
  for (const auto* const request : requests) {
    if (auto own = activity_at(*request, node); !own.diagnostic.empty()) {
      add_activity(std::move(own), to);
    }
    for (const auto* const attempt : objects_in(*request, "children")) {
      add_activity(activity_at(*attempt, node), to);
    }
  }
}

}  // namespace

Result<std::vector<QueueLoad>> parse_scheduler_page(std::string_view text) {
  MUSTER_TRY(const auto page, parse_page(text, "that of a scheduler"));
  const auto* const scheduler = object_in(page, "scheduler");
  const auto* const info = scheduler == nullptr ? nullptr : object_in(*scheduler, "schedulerInfo");
  if (info == nullptr) {
    return no_page("that of a scheduler");
  }
  const auto type = text_in(*info, "type");
  std::vector<QueueLoad> queues;
  if (const auto* const root = object_in(*info, "rootQueue");
      type == "fairScheduler" && root != nullptr) {
    add_fair_queue(*root, queues);
    return queues;
  }
  if (type != "capacityScheduler") {
    return Error{.code = Errc::Unsupported,
                 .blame = Blame::Cluster,
                 .message = fmt::format("queues of a {} cannot be read", type)};
  }
  add_queue(*info, "", queues);
  return queues;
}

Result<std::vector<Activity>> parse_activities_page(std::string_view text) {
  MUSTER_TRY(const auto page, parse_page(text, "that of an application's activities"));
  const auto* const activities = object_in(page, "appActivities");
  if (activities == nullptr) {
    return no_page("that of an application's activities");
  }
  std::vector<Activity> to;
  for (const auto* const allocation : objects_in(*activities, "allocations")) {
    add_allocation(*allocation, to);
  }
  return to;
}

Result<std::string> parse_setting_page(std::string_view text) {
  MUSTER_TRY(const auto page, parse_page(text, "that of a setting"));
  const auto* const property = object_in(page, "property");
  if (property == nullptr) {
    return no_page("that of a setting");
  }
  return text_in(*property, "value");
}

std::string parse_refusal(std::string_view text) {
  const auto page = parse_page(text, "a refusal");
  if (!page.has_value()) {
    return {};
  }
  const auto* const exception = object_in(*page, "RemoteException");
  return exception == nullptr ? std::string() : text_in(*exception, "message");
}

}  // namespace muster::hadoop::yarn
