#pragma once

#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/frame_channel.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

enum class AuthMethod : uint8_t { Simple, Token, Kerberos };

/// What the dialogue has led to.
struct Handshake {
  AuthMethod method = AuthMethod::Simple;
  std::unique_ptr<MessageGuard> guard;  ///< Null: frames go as they are.
};

/// Holds what a dialogue needs besides the connection.
struct HandshakeParty {
  const Target& target;
  std::string server;  ///< For messages: "NameNode, nn1 (nn1.example.com:8020)".
  TokenQuery query;
  KerberosExchanges* kerberos = nullptr;
  rt::Random& random;
};

/// True if a connection to this server begins with SASL: Kerberos is configured or there is a
/// token.
[[nodiscard]] bool wants_sasl(const Target& target, const TokenQuery& query);

/// Conducts the SASL dialogue of one connection, from NEGOTIATE (the preamble is written with it)
/// to SUCCESS. Unauthenticated failures are final; a StandbyException is the server's way to say
/// "ask the other". The channel and the party must outlive the coroutine.
[[nodiscard]] rt::Async<OutcomeOf<Handshake>> shake_hands(FrameChannel* channel,
                                                          const HandshakeParty* party);

/// Returns the frame with the connection's context: who calls, and which protocol. After Kerberos
/// the user is named only if they are not the ticket's (`identity.real_user` is set); after a
/// token, never.
[[nodiscard]] std::string context_frame(const Target& target, AuthMethod method,
                                        std::string_view client_id);

/// True if `principal` ("nn/host@REALM") is what the configuration expects: exactly, with _HOST for
/// the server's host, or as a glob with * and ?.
[[nodiscard]] bool principal_matches(std::string_view expected, std::string_view principal,
                                     std::string_view host);

}  // namespace muster::hadoop::rpc
