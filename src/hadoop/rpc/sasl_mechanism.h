#pragma once

#include "base/result.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/security_layer.h"
#include "rt/async.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::rpc {

/// Guards the messages of one connection, like SecurityLayer, but may be slow: Kerberos works in
/// another process. One wrap and one unwrap at a time.
class MessageGuard {
 public:
  virtual ~MessageGuard() = default;
  [[nodiscard]] virtual rt::Async<Result<std::string>> wrap(std::string plain) = 0;
  [[nodiscard]] virtual rt::Async<Result<std::string>> unwrap(std::string token) = 0;
};

/// The guard of a layer that works at once.
[[nodiscard]] std::unique_ptr<MessageGuard> guard_of(std::unique_ptr<SecurityLayer> layer);

/// The client's side of one SASL dialogue. An Unauthenticated error ends it for good.
class SaslMechanism {
 public:
  virtual ~SaslMechanism() = default;
  /// The first token; `challenge` is what the server's offer already held, perhaps nothing.
  [[nodiscard]] virtual rt::Async<Result<std::string>> begin(std::string challenge) = 0;
  /// Answers a challenge; an empty token is sent, too.
  [[nodiscard]] virtual rt::Async<Result<std::string>> respond(std::string challenge) = 0;
  /// The server reports success; returns an error if that is premature or not proved.
  [[nodiscard]] virtual rt::Async<Status> finish(std::optional<std::string> token) = 0;
  /// What guards the connection from now on; null: nothing. Once, after finish().
  [[nodiscard]] virtual std::unique_ptr<MessageGuard> guard() = 0;
};

/// DIGEST-MD5 with a token; `cnonce` as for DigestClient.
[[nodiscard]] std::unique_ptr<SaslMechanism> token_mechanism(const TokenSecret& token,
                                                             std::vector<Protection> protections,
                                                             std::string cnonce);

/// Whom a Kerberos dialogue is for: the host-based service name that the server gave.
struct KerberosPeer {
  std::string service;                  ///< "nn".
  std::string host;                     ///< "nn1.example.com".
  std::vector<Protection> protections;  ///< By preference; empty takes the strongest offered.
};

/// Where Kerberos dialogues come from: a helper process that can load the host's GSSAPI.
class KerberosExchanges {
 public:
  virtual ~KerberosExchanges() = default;
  /// Opens a new dialogue. Unauthenticated, with what to do, without a ticket or without the
  /// library.
  [[nodiscard]] virtual rt::Async<Result<std::unique_ptr<SaslMechanism>>> open(
      KerberosPeer peer) = 0;
};

}  // namespace muster::hadoop::rpc
