#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/configuration.h"
#include "net/address.h"

#include <string>
#include <vector>

namespace muster::hadoop {

/// One ResourceManager; its id is empty where there is only one.
struct ResourceManager {
  std::string id;
  net::HostPort client;     ///< ApplicationClientProtocol.
  net::HostPort scheduler;  ///< ApplicationMasterProtocol.
  net::HostPort admin;
  net::HostPort tracker;  ///< ResourceTracker, of node managers.
  net::HostPort web;      ///< Its pages and REST: HTTPS where `ResourceManagers::https`.
  bool operator==(const ResourceManager&) const = default;
};

/// The cluster's ResourceManagers: one, or several of which one is active.
struct ResourceManagers {
  std::vector<ResourceManager> all;  ///< At least one, as configured.
  bool https = false;                ///< Pages and REST are on HTTPS only (yarn.http.policy).
  /// How long to look for an answering one; Duration::max(): forever.
  Duration connect_wait_max{};
  Duration connect_retry_interval{};
};

/// Finds the ResourceManagers (yarn.resourcemanager.*, with .ha.rm-ids). A missing or invalid
/// address is an error that names its place.
[[nodiscard]] Result<ResourceManagers> resource_managers(const Configuration& configuration);

/// How application masters behave towards node managers.
struct NodeManagerSettings {
  Duration connect_wait_max{};  ///< Duration::max(): forever.
  Duration connect_retry_interval{};
};

[[nodiscard]] Result<NodeManagerSettings> node_manager_settings(const Configuration& configuration);

/// The resource types beyond memory and vcores that the cluster may know (yarn.resource-types),
/// such as yarn.io/gpu.
[[nodiscard]] Result<std::vector<std::string>> resource_types(const Configuration& configuration);

}  // namespace muster::hadoop
