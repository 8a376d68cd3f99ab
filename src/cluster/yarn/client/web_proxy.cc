#include "cluster/yarn/client/web_proxy.h"

#include "hadoop/resource_manager.h"

#include <fmt/format.h>

namespace muster::cluster::yarn {
namespace {

constexpr std::string_view kProxy = "yarn.web-proxy.address";
constexpr std::string_view kAcls = "yarn.acl.enable";
constexpr std::string_view kAdmins = "yarn.admin.acl";
constexpr uint16_t kProxyPort = 8088;

}  // namespace

std::string WebProxies::site(const net::HostPort& proxy) const {
  return (https ? "https://" : "http://") + net::to_string(proxy);
}

std::string WebProxies::page_of(std::string_view application_id) const {
  return fmt::format("{}/proxy/{}/", site(all.front()), application_id);
}

Result<WebProxies> web_proxies(const hadoop::Configuration& configuration) {
  WebProxies proxies;
  MUSTER_TRY(const hadoop::ResourceManagers managers, hadoop::resource_managers(configuration));
  proxies.https = managers.https;
  if (configuration.is_set(kProxy)) {
    MUSTER_TRY(net::HostPort proxy, configuration.address(kProxy, kProxyPort));
    proxies.all.push_back(std::move(proxy));
  } else {
    for (const hadoop::ResourceManager& manager : managers.all) {
      proxies.all.push_back(manager.web);
    }
  }
  if (configuration.is_set(kAcls)) {
    MUSTER_TRY(proxies.acls, configuration.flag(kAcls));
  }
  // Hadoop's default: everybody is an administrator.
  MUSTER_TRY(const std::string admins, configuration.text(kAdmins));
  proxies.admins = hadoop::parse_access_list(configuration.is_set(kAdmins) ? admins : "*");
  return proxies;
}

}  // namespace muster::cluster::yarn
