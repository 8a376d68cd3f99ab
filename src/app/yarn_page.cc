#include "app/yarn_page.h"

#include "net/resolver.h"
#include "page/proxy_access.h"
#include "rt/wait.h"

#include <algorithm>
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

std::unique_ptr<page::Access> proxy_access(rt::IoLoop& loop,
                                           const cluster::yarn::WebProxies& proxies,
                                           YarnPageOwner owner) {
  page::ProxyRule rule{.application_id = std::move(owner.application_id),
                       .users = std::move(owner.view_acl)};
  rule.users.push_back(std::move(owner.owner));
  rule.users.insert(rule.users.end(), proxies.admins.begin(), proxies.admins.end());
  rule.everybody = !proxies.acls || std::ranges::find(rule.users, "*") != rule.users.end();
  for (const net::HostPort& proxy : proxies.all) {
    rule.proxies.push_back({.host = proxy.host, .site = proxies.site(proxy)});
  }
  auto resolver = std::make_shared<net::Resolver>(loop);
  return std::make_unique<page::ProxyAccess>(
      loop, std::move(rule), [&loop, resolver](std::string host) {
        return look_up(&loop, resolver.get(), std::move(host));
      });
}

}  // namespace muster::app
