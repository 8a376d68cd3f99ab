#pragma once

#include "base/result.h"
#include "hadoop/access_list.h"
#include "hadoop/configuration.h"
#include "net/address.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// Through which proxies the cluster shows the pages of its applications, and who may see them.
struct WebProxies {
  std::vector<net::HostPort> all;  ///< At least one; one of several is active.
  bool https = false;              ///< They are reached over HTTPS.
  bool acls = false;               ///< Checks who may look at an application.
  hadoop::AccessList admins;       ///< Who may look at all applications.

  /// "http://rm.example.org:8088"
  [[nodiscard]] std::string site(const net::HostPort& proxy) const;
  /// Returns the page of an application, for people:
  /// "http://rm.example.org:8088/proxy/application_1_1/".
  [[nodiscard]] std::string page_of(std::string_view application_id) const;
};

/// Reads yarn.web-proxy.address, else every resource manager's page
/// (yarn.resourcemanager.webapp.*), and yarn.acl.enable and yarn.admin.acl.
[[nodiscard]] Result<WebProxies> web_proxies(const hadoop::Configuration& configuration);

}  // namespace muster::cluster::yarn
