#include "app/yarn_page.h"

#include "hadoop/access_list.h"
#include "hadoop/hdfs/user_groups.h"
#include "net/resolver.h"
#include "page/proxy_access.h"
#include "rt/wait.h"

#include <utility>

namespace muster::app {
namespace {

using Addresses = Result<std::vector<net::SocketAddress>>;

rt::Async<Result<std::vector<std::string>>> look_up(rt::IoLoop* loop, net::Resolver* resolver,
                                                    std::string host) {
  auto ask = [&](rt::Answer<Addresses> answer) { resolver->resolve(host, 1, std::move(answer)); };
  const auto found = co_await rt::from_callback<Addresses>(*loop, std::move(ask));
  if (!found.has_value()) {
    co_return found.error();
  }
  std::vector<std::string> literals;
  for (const net::SocketAddress& address : *found) {
    literals.push_back(net::literal_of(address));
  }
  co_return literals;
}

}  // namespace

Result<std::unique_ptr<page::Access>> proxy_access(cluster::yarn::Session& session,
                                                   const cluster::yarn::WebProxies& proxies,
                                                   YarnPageOwner owner) {
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
        return look_up(&loop, resolver.get(), std::move(host));
      },
      std::move(groups)));
}

}  // namespace muster::app
