#pragma once

#include "base/result.h"
#include "hadoop/configuration.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// How users prove who they are to the cluster's services (hadoop.security.authentication).
enum class Authentication : uint8_t { Simple, Kerberos };

/// What a connection's SASL layer guards once both sides know each other.
enum class Protection : uint8_t {
  Authentication,  ///< Nothing more ("auth").
  Integrity,       ///< Changed bytes are noticed ("auth-int").
  Privacy,         ///< And nobody else reads them ("auth-conf").
};

struct SecuritySettings {
  Authentication authentication = Authentication::Simple;
  /// What we accept on RPC connections, most wanted first; never empty.
  std::vector<Protection> rpc_protection;
  /// False: nobody set hadoop.rpc.protection, so the strongest that is offered may be taken.
  bool rpc_protection_set = false;
  /// What we accept on data connections, most wanted first; empty: they use no SASL.
  std::vector<Protection> data_transfer_protection;
  /// dfs.encrypt.data.transfer.cipher.suites, as written; empty: the SASL layer's own cipher.
  std::string data_transfer_cipher_suite;
  /// A Kerberos client may talk to a server that knows only SIMPLE.
  bool fallback_to_simple = false;
  /// Token services are written as ip:port, else as host:port in lower case.
  bool token_service_by_ip = true;
};

/// Reads the settings; a word that Hadoop does not know is an error that names its place.
[[nodiscard]] Result<SecuritySettings> security_settings(const Configuration& configuration);

[[nodiscard]] std::string_view to_string(Authentication authentication);
/// "authentication", "integrity", "privacy", as in hadoop.rpc.protection.
[[nodiscard]] std::string_view to_string(Protection protection);

}  // namespace muster::hadoop
