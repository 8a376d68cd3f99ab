#include "hadoop/resource_manager.h"

#include "base/text.h"
#include "hadoop/conf_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace muster::hadoop {
namespace {

constexpr std::string_view kPrefix = "yarn.resourcemanager.";

struct Port {
  std::string_view key;  ///< After kPrefix.
  uint16_t number;
  net::HostPort ResourceManager::* field;
};

constexpr Port kPorts[] = {
    {"address", 8032, &ResourceManager::client},
    {"scheduler.address", 8030, &ResourceManager::scheduler},
    {"admin.address", 8033, &ResourceManager::admin},
    {"resource-tracker.address", 8031, &ResourceManager::tracker},
};

/// Reads one address: its own key, or else the manager's host name with the default port.
Result<net::HostPort> endpoint(const Configuration& configuration, std::string_view key,
                               uint16_t port, const std::string& id) {
  const std::string suffix = id.empty() ? "" : "." + id;
  const std::string name = fmt::format("{}{}{}", kPrefix, key, suffix);
  if (configuration.is_set(name)) {
    return configuration.address(name, port);
  }
  const std::string hostname = fmt::format("{}hostname{}", kPrefix, suffix);
  if (!id.empty() && !configuration.is_set(hostname)) {
    return configuration.wrong(
        name, fmt::format("{}ha.rm-ids names {}: give this address or {}", kPrefix, id, hostname));
  }
  MUSTER_TRY(const std::string host, configuration.text(hostname));
  std::optional<net::HostPort> address = parse_address(host, port);
  if (!address || address->port != port) {
    return configuration.wrong(hostname, "must be the name of a host, without a port");
  }
  return std::move(*address);
}

Result<ResourceManager> manager(const Configuration& configuration, const std::string& id,
                                bool https) {
  ResourceManager out;
  out.id = id;
  for (const Port& port : kPorts) {
    MUSTER_TRY(out.*port.field, endpoint(configuration, port.key, port.number, id));
  }
  MUSTER_TRY(out.web, https ? endpoint(configuration, "webapp.https.address", 8090, id)
                            : endpoint(configuration, "webapp.address", 8088, id));
  return out;
}

/// Reads a wait in milliseconds; -1 means forever.
Result<Duration> wait_max(const Configuration& configuration, std::string_view name) {
  MUSTER_TRY(const Duration wait, configuration.duration(name, std::chrono::milliseconds(1)));
  return wait < Duration(0) ? Duration::max() : wait;
}

Result<Duration> interval(const Configuration& configuration, std::string_view name) {
  MUSTER_TRY(const Duration value, configuration.duration(name, std::chrono::milliseconds(1)));
  if (value <= Duration(0)) {
    return configuration.wrong(name, "must be a time above 0");
  }
  return value;
}

}  // namespace

Result<ResourceManagers> resource_managers(const Configuration& configuration) {
  ResourceManagers out;
  MUSTER_TRY(const std::string policy, configuration.text("yarn.http.policy"));
  out.https = policy == "HTTPS_ONLY";
  MUSTER_TRY(out.connect_wait_max,
             wait_max(configuration, "yarn.resourcemanager.connect.max-wait.ms"));
  MUSTER_TRY(out.connect_retry_interval,
             interval(configuration, "yarn.resourcemanager.connect.retry-interval.ms"));
  MUSTER_TRY(const bool ha, configuration.flag("yarn.resourcemanager.ha.enabled"));
  std::vector<std::string> ids{""};
  if (ha) {
    constexpr std::string_view kIds = "yarn.resourcemanager.ha.rm-ids";
    MUSTER_TRY(ids, configuration.list(kIds));
    if (ids.empty()) {
      return configuration.wrong(kIds, "yarn.resourcemanager.ha.enabled is true: list the ids");
    }
  }
  for (const std::string& id : ids) {
    MUSTER_TRY(ResourceManager one, manager(configuration, id, out.https));
    out.all.push_back(std::move(one));
  }
  return out;
}

Result<NodeManagerSettings> node_manager_settings(const Configuration& configuration) {
  NodeManagerSettings out;
  MUSTER_TRY(out.connect_wait_max,
             wait_max(configuration, "yarn.client.nodemanager-connect.max-wait-ms"));
  MUSTER_TRY(out.connect_retry_interval,
             interval(configuration, "yarn.client.nodemanager-connect.retry-interval-ms"));
  return out;
}

Result<std::vector<std::string>> resource_types(const Configuration& configuration) {
  MUSTER_TRY(std::vector<std::string> types, configuration.list("yarn.resource-types"));
  // Memory and vcores may be listed, too; every cluster has them.
  std::erase_if(types, [](const std::string& type) {
    return type == "memory-mb" || type == "vcores" || type == "memory";
  });
  return types;
}

}  // namespace muster::hadoop
