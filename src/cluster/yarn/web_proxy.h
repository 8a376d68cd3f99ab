#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"
#include "net/address.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// Through which proxies the cluster shows the pages of its applications, and whom it asks.
struct WebProxies {
  std::vector<net::HostPort> all;   ///< At least one; one of several is active.
  bool https = false;               ///< They are reached over HTTPS.
  bool acls = false;                ///< Who may look at an application is checked.
  std::vector<std::string> admins;  ///< Users who may look at all; "*" for everybody.

  /// "http://rm.example.org:8088"
  [[nodiscard]] std::string site(const net::HostPort& proxy) const;
  /// The page of an application, for people: "http://rm.example.org:8088/proxy/application_1_1/".
  [[nodiscard]] std::string page_of(std::string_view application_id) const;
};

/// yarn.web-proxy.address, else every resource manager's page (yarn.resourcemanager.webapp.*);
/// yarn.acl.enable and yarn.admin.acl.
[[nodiscard]] Result<WebProxies> web_proxies(const hadoop::Configuration& configuration);

/// Returns the users of an access list as Hadoop writes it: "user,user group,group". Groups are
/// nobody's business here: they are known to the cluster's hosts only.
[[nodiscard]] std::vector<std::string> users_of_acl(std::string_view acl);

}  // namespace muster::cluster::yarn
