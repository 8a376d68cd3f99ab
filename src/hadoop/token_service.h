#pragma once

#include "hadoop/credentials.h"
#include "hadoop/name_service.h"
#include "net/address.h"

#include <span>
#include <string>
#include <string_view>

namespace muster::hadoop {

/// One server as a connection sees it.
struct ServerAddress {
  net::HostPort configured;  ///< As the configuration writes it.
  std::string peer;          ///< As connected, numerically: "10.0.0.7:8020".
};

/// The service that Hadoop writes into a token for one server: "ip:port", or "host:port" in lower
/// case where hadoop.security.token.service.use_ip is false.
[[nodiscard]] std::string token_service(const ServerAddress& server, bool by_ip);

/// The service of an HDFS with several NameNodes: "ha-hdfs:ns1".
[[nodiscard]] std::string logical_token_service(std::string_view name_service);

/// Each returns the token to show to a server, or nullptr.
/// HDFS: that of the name service first, then ip:port, then host:port.
[[nodiscard]] const Token* find_hdfs_token(const Credentials& credentials,
                                           const NameService& service, const ServerAddress& server);
/// The delegation token of a kind (ResourceManager, timeline) whose service, one address or
/// several, has this server.
[[nodiscard]] const Token* find_service_token(const Credentials& credentials, std::string_view kind,
                                              const ServerAddress& server);
/// The application master's own token, found by its kind: in its files it has no service. Of
/// several the last, which a roll of keys brought.
[[nodiscard]] const Token* find_am_rm_token(const Credentials& credentials);

}  // namespace muster::hadoop
