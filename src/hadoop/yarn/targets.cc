#include "hadoop/yarn/targets.h"

#include "hadoop/resource_manager.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "hadoop/server_principal.h"
#include "hadoop/token_service.h"
#include "hadoop/yarn/application_client.h"
#include "hadoop/yarn/application_master.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace muster::hadoop::yarn {
namespace {

// Attempts are bounded by time, not by count.
constexpr int kAttemptsMax = 1'000'000;
constexpr Duration kPauseFirst = std::chrono::milliseconds(200);

rpc::Protection protection_of(Protection protection) {
  switch (protection) {
    case Protection::Authentication:
      return rpc::Protection::Authentication;
    case Protection::Integrity:
      return rpc::Protection::Integrity;
    case Protection::Privacy:
      return rpc::Protection::Privacy;
  }
  return rpc::Protection::Authentication;
}

std::vector<rpc::Protection> protections_of(const SecuritySettings& security) {
  std::vector<rpc::Protection> protections;
  if (security.rpc_protection_set) {
    std::ranges::transform(security.rpc_protection, std::back_inserter(protections), protection_of);
  }
  return protections;
}

rpc::ConnectionOptions connection_of(const RpcSettings& settings) {
  return {.connect_timeout = settings.connect_timeout,
          .handshake_timeout = settings.connect_timeout,
          .call_timeout = settings.call_timeout,
          .ping_interval = settings.ping ? settings.ping_interval : Duration::zero(),
          .idle_max = settings.idle_max,
          .request_bytes_max = settings.request_bytes_max,
          .response_bytes_max = settings.response_bytes_max};
}

// A restarted resource manager is noticed soon: pauses begin short and grow to the configured one.
rpc::RetryOptions retry_of(const ResourceManagers& managers) {
  return {.attempts_max = kAttemptsMax,
          .pause_first = std::min(kPauseFirst, managers.connect_retry_interval),
          .pause_max = std::min<Duration>(managers.connect_retry_interval, std::chrono::seconds(5)),
          .total_max = managers.connect_wait_max};
}

Result<Calling> calling_of(const Configuration& configuration,
                           net::HostPort ResourceManager::* address) {
  MUSTER_TRY(const auto managers, resource_managers(configuration));
  MUSTER_TRY(const auto security, security_settings(configuration));
  MUSTER_TRY(const auto settings, rpc_settings(configuration));
  Calling calling{.target = {.what = "ResourceManager",
                             .allow_simple = security.fallback_to_simple,
                             .protections = protections_of(security)},
                  .connection = connection_of(settings),
                  .retry = retry_of(managers)};
  for (const auto& manager : managers.all) {
    calling.target.servers.push_back({.address = manager.*address, .label = manager.id});
  }
  return calling;
}

}  // namespace

Result<Calling> client_calling(const Configuration& configuration, rpc::Identity identity,
                               std::shared_ptr<const Credentials> credentials) {
  MUSTER_TRY(auto calling, calling_of(configuration, &ResourceManager::client));
  MUSTER_TRY(const auto security, security_settings(configuration));
  MUSTER_TRY(calling.target.server_principal,
             server_principal(configuration, "yarn.resourcemanager.principal"));
  calling.target.protocol = {.name = std::string(kClientProtocol)};
  calling.target.identity = std::move(identity);
  calling.target.kerberos = security.authentication == Authentication::Kerberos;
  if (credentials != nullptr) {
    calling.target.find_token =
        [credentials = std::move(credentials)](
            const rpc::TokenQuery& query) -> std::optional<rpc::TokenSecret> {
      const auto* const token =
          find_service_token(*credentials, token_kind::kResourceManager,
                             {.configured = query.server, .peer = query.peer_address});
      if (token == nullptr) {
        return std::nullopt;
      }
      return rpc::TokenSecret{.identifier = token->identifier,
                              .password = token->password.reveal()};
    };
  }
  return calling;
}

Result<Calling> master_calling(const Configuration& configuration, const HeldToken& token) {
  MUSTER_TRY(auto calling, calling_of(configuration, &ResourceManager::scheduler));
  calling.target.protocol = {.name = std::string(kMasterProtocol)};
  calling.target.find_token = token.finder();
  calling.target.allow_simple = false;  // This service always asks for its token.
  return calling;
}

Result<NodeDialSettings> node_dial_settings(const Configuration& configuration) {
  MUSTER_TRY(const auto settings, node_manager_settings(configuration));
  MUSTER_TRY(const auto security, security_settings(configuration));
  return NodeDialSettings{.wait_max = settings.connect_wait_max,
                          .pause = settings.connect_retry_interval,
                          .protections = protections_of(security)};
}

}  // namespace muster::hadoop::yarn
