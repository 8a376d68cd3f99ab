#include "cluster/yarn/delegation.h"

#include "hadoop/name_service.h"
#include "hadoop/principal.h"
#include "hadoop/resource_manager.h"
#include "hadoop/security_settings.h"
#include "hadoop/server_principal.h"
#include "hadoop/token_service.h"
#include "net/resolver.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

/// Returns the resource manager's principal, which may renew the tokens.
Result<std::string> renewer_of(const hadoop::Configuration& configuration) {
  MUSTER_TRY(const std::string principal,
             hadoop::server_principal(configuration, "yarn.resourcemanager.principal"));
  if (principal.empty()) {
    return user_error(
        "yarn.resourcemanager.principal is not set in the Hadoop configuration: the job's tokens "
        "could not be renewed");
  }
  MUSTER_TRY(const hadoop::ResourceManagers managers, hadoop::resource_managers(configuration));
  return hadoop::with_host(principal, managers.all.front().client.host);
}

/// Returns the name under which the token of a file system is found again, here and in Java.
rt::Async<Result<std::string>> service_of(Session* session, std::string authority) {
  const hadoop::Configuration& configuration = session->site().configuration;
  auto service = authority.empty() ? hadoop::default_name_service(configuration)
                                   : hadoop::name_service(configuration, authority);
  MUSTER_CO_TRY(const hadoop::NameService found, std::move(service));
  if (found.logical) {
    co_return hadoop::logical_token_service(found.name);
  }
  MUSTER_CO_TRY(const hadoop::SecuritySettings security, hadoop::security_settings(configuration));
  const net::HostPort server = found.name_nodes.front().address;
  using Addresses = Result<std::vector<net::SocketAddress>>;
  net::Resolver resolver(session->loop());
  auto resolved = co_await rt::from_callback<Addresses>(session->loop(), [&](auto answer) {
    resolver.resolve(server.host, server.port, std::move(answer));
  });
  MUSTER_CO_TRY(const std::vector<net::SocketAddress> addresses, std::move(resolved));
  const net::HostPort peer{.host = net::literal_of(addresses.front()), .port = server.port};
  co_return hadoop::token_service({.configured = server, .peer = net::to_string(peer)},
                                  security.token_service_by_ip);
}

}  // namespace

rt::Async<Result<hadoop::Credentials>> fetch_tokens(Session* session,
                                                    std::set<std::string> authorities) {
  hadoop::Credentials credentials;
  if (!session->site().tickets.has_value()) {
    co_return credentials;
  }
  MUSTER_CO_TRY(const std::string renewer, renewer_of(session->site().configuration));
  for (const std::string& authority : authorities) {
    MUSTER_CO_TRY(const std::unique_ptr<hdfs::FileSystem> files, session->open_files(authority));
    auto asked = co_await files->name_node().delegation_token(renewer);
    MUSTER_CO_TRY(hadoop::Token token, std::move(asked));
    auto service = co_await service_of(session, authority);
    MUSTER_CO_TRY(token.service, std::move(service));
    std::string alias = token.service;
    credentials.add(std::move(alias), std::move(token));
  }
  co_return credentials;
}

}  // namespace muster::cluster::yarn
