#include "cluster/yarn/master/page_access.h"

#include "cluster/yarn/master/host_addresses.h"
#include "hadoop/access_list.h"
#include "hadoop/hdfs/names/user_groups.h"
#include "page/proxy_access.h"

#include <utility>

namespace muster::cluster::yarn {
Result<std::unique_ptr<page::Access>> proxy_access(Session& session, const WebProxies& proxies,
                                                   PageOwner owner) {
  hadoop::AccessList list = either(hadoop::access_list_of(owner.view_acl), proxies.admins);
  list.users.insert(std::move(owner.owner));
  page::ProxyRule rule{.application_id = std::move(owner.application_id),
                       .everybody = !proxies.acls || list.everybody,
                       .users = {list.users.begin(), list.users.end()},
                       .groups = {list.groups.begin(), list.groups.end()}};
  for (const net::HostPort& proxy : proxies.all) {
    rule.proxies.push_back({.host = proxy.host, .site = proxies.site(proxy)});
  }
  page::ProxyAccess::Groups groups;
  if (!rule.everybody && !rule.groups.empty()) {
    const hadoop::hdfs::FileSystem::Login login{.authority = {},
                                                .identity = session.site().identity,
                                                .credentials = session.site().credentials};
    MUSTER_TRY(
        std::shared_ptr<hadoop::hdfs::UserGroups> mapping,
        hadoop::hdfs::UserGroups::open(session.client(), session.site().configuration, login));
    groups = [mapping](std::string user) { return mapping->groups_of(std::move(user)); };
  }
  rt::IoLoop& loop = session.loop();
  auto resolver = std::make_shared<net::Resolver>(loop);
  return std::unique_ptr<page::Access>(std::make_unique<page::ProxyAccess>(
      loop, std::move(rule),
      [&loop, resolver](std::string host) {
        return literals_of(&loop, resolver.get(), std::move(host));
      },
      std::move(groups)));
}

}  // namespace muster::cluster::yarn
