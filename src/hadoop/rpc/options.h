#pragma once

#include "base/time.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"
#include "net/address.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::rpc {

using hadoop::Protection;

/// Who calls. In the connection context the effective user acts; where it differs from the real
/// user, the server checks hadoop.proxyuser.* for the real one.
struct Identity {
  std::string user;       ///< The effective user; never empty without Kerberos.
  std::string real_user;  ///< Empty unless acting for another.
};

/// The secret part of a token: what DIGEST-MD5 needs.
struct TokenSecret {
  std::string identifier;  ///< Raw bytes.
  std::string password;    ///< Raw bytes.
};

/// Which server a token is requested for.
struct TokenQuery {
  net::HostPort server;      ///< As configured.
  std::string peer_address;  ///< As connected, numerically: "10.0.0.7:8020".
};

/// Returns the token for a server, or nothing if there is none. Called for each new connection, so
/// that a rolled token is used at once. Must not block.
using TokenFinder = std::function<std::optional<TokenSecret>(const TokenQuery&)>;

/// Which Java protocol a connection speaks.
struct ProtocolName {
  std::string name;      ///< "org.apache.hadoop.hdfs.protocol.ClientProtocol".
  uint64_t version = 1;  ///< 1 for all of Hadoop's.
};

/// One server of a service.
struct Server {
  net::HostPort address;
  std::string label;  ///< "nn1", "rm2"; empty for the only one.
};

/// What is called, and as whom.
struct Target {
  std::string what;             ///< For messages: "NameNode", "ResourceManager of cluster prod".
  std::vector<Server> servers;  ///< More than one: an HA pair, in order of preference.
  ProtocolName protocol;
  Identity identity;
  TokenFinder find_token;  ///< Empty: no token is ever used.
  /// Kerberos is configured (hadoop.security.authentication=kerberos). In that case, and if there
  /// is a token, a server that offers only SIMPLE is refused unless `allow_simple`.
  bool kerberos = false;
  bool allow_simple = false;  ///< ipc.client.fallback-to-simple-auth-allowed
  /// The service's principal, "nn/_HOST@REALM", or a glob for it; must match what the server names.
  std::string server_principal;
  /// Allowed protections in order of preference; empty takes the strongest offered.
  std::vector<Protection> protections;
};

/// Times and limits; the defaults are Hadoop's.
struct ConnectionOptions {
  Duration connect_timeout = std::chrono::seconds(20);  ///< For each address.
  /// From the connection's first byte to its last answer of the SASL dialogue.
  Duration handshake_timeout = std::chrono::seconds(20);
  /// How long one attempt of a call waits for its answer; 0: as long as the deadline allows.
  Duration call_timeout = std::chrono::seconds(120);
  Duration ping_interval = std::chrono::seconds(60);  ///< Of silence while calls wait; 0: never.
  Duration idle_max = std::chrono::seconds(10);       ///< A connection without calls is closed.
  size_t request_bytes_max = size_t{128} << 20;
  size_t response_bytes_max = size_t{128} << 20;
};

/// How often, and after which pauses, a call is retried.
struct RetryOptions {
  /// In all; the first attempt included. With several servers each failover is one.
  int attempts_max = 15;
  Duration pause_first = std::chrono::milliseconds(500);
  Duration pause_max = std::chrono::seconds(15);
  /// Of one call whose caller names no deadline.
  Duration total_max = std::chrono::minutes(15);
};

/// Returns the options that the configuration (ipc.*) sets.
[[nodiscard]] ConnectionOptions connection_options(const RpcSettings& settings);
/// How a service with one address is retried: as ipc.client.connect.* says.
[[nodiscard]] RetryOptions retry_options(const RpcSettings& settings);

}  // namespace muster::hadoop::rpc
