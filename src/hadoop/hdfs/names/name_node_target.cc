#include "hadoop/hdfs/names/name_node_target.h"

#include "hadoop/server_principal.h"
#include "hadoop/token_service.h"

#include <utility>

namespace muster::hadoop::hdfs {
namespace {

rpc::TokenFinder token_finder(Credentials credentials, NameService service) {
  return [credentials = std::move(credentials), service = std::move(service)](
             const rpc::TokenQuery& query) -> std::optional<rpc::TokenSecret> {
    const ServerAddress server{.configured = query.server, .peer = query.peer_address};
    const Token* token = find_hdfs_token(credentials, service, server);
    if (token == nullptr) {
      return std::nullopt;
    }
    return rpc::TokenSecret{token->identifier, token->password.reveal()};
  };
}

}  // namespace

rpc::Target secured_target(const SecuritySettings& security, rpc::Identity identity) {
  rpc::Target target;
  target.identity = std::move(identity);
  target.kerberos = security.authentication == Authentication::Kerberos;
  target.allow_simple = security.fallback_to_simple;
  if (security.rpc_protection_set) {
    for (const Protection protection : security.rpc_protection) {
      target.protections.push_back(static_cast<rpc::Protection>(protection));
    }
  }
  return target;
}

Result<rpc::Target> name_node_target(const Configuration& configuration,
                                     const SecuritySettings& security, const NameService& service,
                                     std::string_view protocol, const FileSystem::Login& login) {
  rpc::Target target = secured_target(security, login.identity);
  target.what = service.logical ? "NameNode of " + service.name : "NameNode";
  for (const hadoop::NameNode& node : service.name_nodes) {
    target.servers.push_back({node.address, node.id});
  }
  target.protocol.name = protocol;
  target.find_token = token_finder(login.credentials, service);
  MUSTER_TRY(target.server_principal,
             server_principal(configuration, "dfs.namenode.kerberos.principal"));
  return target;
}

std::unique_ptr<rpc::Proxy> name_node_proxy(rpc::Client& client, rpc::Target target,
                                            const rpc::ConnectionOptions& connection,
                                            const HdfsSettings& settings) {
  if (target.servers.size() == 1) {
    return client.proxy(std::move(target));
  }
  rpc::RetryOptions retry;
  retry.attempts_max = settings.failover_attempts_max + 1;
  retry.pause_first = settings.failover_delay;
  retry.pause_max = settings.failover_delay_max;
  return client.proxy(std::move(target), connection, retry);
}

}  // namespace muster::hadoop::hdfs
