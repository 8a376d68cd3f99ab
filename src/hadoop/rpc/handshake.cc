#include "hadoop/rpc/handshake.h"

#include "base/text.h"
#include "hadoop/principal.h"
#include "hadoop/rpc/encoding.h"
#include "hadoop/rpc/remote_failure.h"

#include <fmt/format.h>

#include <array>
#include <hadoop/rpc.pb.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace muster::hadoop::rpc {
namespace {

using ::hadoop::common::IpcConnectionContextProto;
using ::hadoop::common::RpcRequestHeaderProto;
using ::hadoop::common::RpcResponseHeaderProto;
using ::hadoop::common::RpcSaslProto;
using SaslAuth = RpcSaslProto::SaslAuth;

/// More rounds than any mechanism has.
constexpr int kRoundsMax = 16;

Error unauthenticated(std::string message) {
  return user_error(std::move(message), Errc::Unauthenticated);
}

/// One dialogue.
class Dialogue {
 public:
  Dialogue(FrameChannel* channel, const HandshakeParty* party) : channel_(channel), party_(party) {}

  rt::Async<OutcomeOf<Handshake>> run();

 private:
  rt::Async<OutcomeOf<RpcSaslProto>> ask(RpcSaslProto message);
  rt::Async<OutcomeOf<RpcSaslProto>> read();
  rt::Async<Status> send(const RpcSaslProto& message, std::string before);
  rt::Async<OutcomeOf<Handshake>> accept_simple(const SaslAuth* offer);
  rt::Async<OutcomeOf<Handshake>> authenticate(SaslAuth offer, AuthMethod method,
                                               std::unique_ptr<SaslMechanism> mechanism);
  rt::Async<OutcomeOf<Handshake>> choose(RpcSaslProto offers);
  rt::Async<Result<std::unique_ptr<SaslMechanism>>> kerberos(SaslAuth offer);
  [[nodiscard]] std::string cnonce() const;
  [[nodiscard]] Error out_of_turn(std::string_view where) const {
    return cluster_error(fmt::format("{} violates the SASL exchange: {}", party_->server, where),
                         Errc::Corrupt);
  }

  FrameChannel* channel_;
  const HandshakeParty* party_;
};

rt::Async<Status> Dialogue::send(const RpcSaslProto& message, std::string before) {
  const RpcRequestHeaderProto header = header_of(kSaslId, "");
  return channel_->write(std::move(before) + frame_of({&header, &message}));
}

rt::Async<OutcomeOf<RpcSaslProto>> Dialogue::read() {
  MUSTER_CO_TRY(const std::optional<std::string> frame, co_await channel_->read());
  if (!frame.has_value()) {
    co_return cluster_error(
        fmt::format("{} closed the connection during the SASL exchange: see its log; the token may "
                    "belong to another service",
                    party_->server));
  }
  FrameCursor cursor(*frame);
  RpcResponseHeaderProto header;
  MUSTER_CO_TRY_STATUS(cursor.take(header, "response header"));
  if (header.status() != RpcResponseHeaderProto::SUCCESS) {
    Failure failure =
        remote_failure(fmt::format("{} refuses the connection", party_->server), header);
    if (failure.error.code == Errc::PermissionDenied || failure.error.code == Errc::Other) {
      failure.error.code = Errc::Unauthenticated;
    }
    co_return failure;
  }
  if (static_cast<int32_t>(header.callid()) != kSaslId) {
    co_return out_of_turn(fmt::format("an answer to call {}", header.callid()));
  }
  RpcSaslProto message;
  MUSTER_CO_TRY_STATUS(cursor.take(message, "SASL message"));
  MUSTER_CO_TRY_STATUS(cursor.expect_end("SASL message"));
  co_return message;
}

rt::Async<OutcomeOf<RpcSaslProto>> Dialogue::ask(RpcSaslProto message) {
  MUSTER_CO_TRY_STATUS(co_await send(message, ""));
  co_return co_await read();
}

rt::Async<OutcomeOf<Handshake>> Dialogue::run() {
  RpcSaslProto negotiate;
  negotiate.set_state(RpcSaslProto::NEGOTIATE);
  MUSTER_CO_TRY_STATUS(co_await send(negotiate, preamble(AuthProtocol::Sasl)));
  MUSTER_CO_TRY(RpcSaslProto reply, co_await read());
  if (reply.state() == RpcSaslProto::SUCCESS) {
    co_return co_await accept_simple(nullptr);
  }
  if (reply.state() != RpcSaslProto::NEGOTIATE) {
    co_return out_of_turn(fmt::format("state {} instead of its mechanisms", int{reply.state()}));
  }
  co_return co_await choose(std::move(reply));
}

rt::Async<OutcomeOf<Handshake>> Dialogue::choose(RpcSaslProto offers) {
  const Target& target = party_->target;
  std::vector<std::string> names;
  for (const SaslAuth& offer : offers.auths()) {
    names.push_back(printable(fmt::format("{}/{}", offer.method(), offer.mechanism())));
    if (offer.method() == "TOKEN" && offer.mechanism() == "DIGEST-MD5" && target.find_token) {
      if (const auto token = target.find_token(party_->query)) {
        co_return co_await authenticate(offer, AuthMethod::Token,
                                        token_mechanism(*token, target.protections, cnonce()));
      }
    } else if (offer.method() == "KERBEROS" && offer.mechanism() == "GSSAPI" && target.kerberos) {
      MUSTER_CO_TRY(auto mechanism, co_await kerberos(offer));
      co_return co_await authenticate(offer, AuthMethod::Kerberos, std::move(mechanism));
    } else if (offer.method() == "SIMPLE") {
      co_return co_await accept_simple(&offer);
    }
  }
  co_return unauthenticated(fmt::format(
      "{} accepts {}, and there are no credentials for any of these: get a ticket (kinit) and set "
      "hadoop.security.authentication=kerberos, or provide a token (HADOOP_TOKEN_FILE_LOCATION)",
      party_->server, join(names, ", ")));
}

rt::Async<OutcomeOf<Handshake>> Dialogue::accept_simple(const SaslAuth* offer) {
  // A server that accepts a token can prove that it knows the token's secret. One that asks for
  // none may be anybody who has taken the server's address.
  const bool has_token =
      party_->target.find_token && party_->target.find_token(party_->query).has_value();
  if (has_token && !party_->target.allow_simple) {
    co_return unauthenticated(
        fmt::format("{} does not ask for the token that was issued for it: it cannot be told apart "
                    "from another program at its address; check what is listening there",
                    party_->server));
  }
  if (party_->target.kerberos && !party_->target.allow_simple) {
    co_return unauthenticated(
        fmt::format("{} does not ask for Kerberos, which the configuration requires; set "
                    "ipc.client.fallback-to-simple-auth-allowed=true if that is intended",
                    party_->server));
  }
  if (offer != nullptr) {
    RpcSaslProto initiate;
    initiate.set_state(RpcSaslProto::INITIATE);
    *initiate.add_auths() = *offer;
    MUSTER_CO_TRY_STATUS(co_await send(initiate, ""));
  }
  co_return Handshake();
}

rt::Async<OutcomeOf<Handshake>> Dialogue::authenticate(SaslAuth offer, AuthMethod method,
                                                       std::unique_ptr<SaslMechanism> mechanism) {
  MUSTER_CO_TRY(std::string token, co_await mechanism->begin(offer.challenge()));
  RpcSaslProto message;
  message.set_state(RpcSaslProto::INITIATE);
  // Everything but the challenge is echoed as received: the server compares it.
  *message.add_auths() = std::move(offer);
  message.mutable_auths(0)->clear_challenge();
  for (int round = 0; round < kRoundsMax; ++round) {
    message.set_token(std::move(token));  // Present even if it is empty.
    auto asked = co_await ask(std::move(message));
    if (!asked.has_value()) {
      Failure failure = std::move(asked).error();
      if (method == AuthMethod::Token && failure.is("SaslException")) {
        failure.error.message += "; the server does not know the token's secret: get a new token";
      }
      co_return failure;
    }
    RpcSaslProto reply = *std::move(asked);
    if (reply.state() == RpcSaslProto::SUCCESS) {
      std::optional<std::string> last;
      if (reply.has_token()) {
        last = reply.token();
      }
      MUSTER_CO_TRY_STATUS(co_await mechanism->finish(std::move(last)));
      co_return Handshake{.method = method, .guard = mechanism->guard()};
    }
    if (reply.state() != RpcSaslProto::CHALLENGE) {
      co_return out_of_turn(fmt::format("state {} instead of a challenge", int{reply.state()}));
    }
    MUSTER_CO_TRY(token, co_await mechanism->respond(reply.token()));
    message = RpcSaslProto();
    message.set_state(RpcSaslProto::RESPONSE);
  }
  co_return out_of_turn("it does not end");
}

rt::Async<Result<std::unique_ptr<SaslMechanism>>> Dialogue::kerberos(SaslAuth offer) {
  const Target& target = party_->target;
  const std::string principal = fmt::format("{}/{}", offer.protocol(), offer.serverid());
  if (target.server_principal.empty()) {
    co_return unauthenticated(fmt::format(
        "{} calls itself {}, and the configuration names no principal for it: set "
        "dfs.namenode.kerberos.principal or yarn.resourcemanager.principal, as the cluster does",
        party_->server, printable(principal)));
  }
  if (!principal_matches(target.server_principal, principal,
                         target.servers.empty() ? std::string_view() : party_->query.server.host)) {
    co_return unauthenticated(fmt::format(
        "{} calls itself {}, the configuration expects {}: another service answers there, or its "
        "principal key is wrong",
        party_->server, printable(principal), target.server_principal));
  }
  if (party_->kerberos == nullptr) {
    co_return unauthenticated(fmt::format(
        "{} requires Kerberos, which this program cannot speak here: muster-krb5 is not installed "
        "beside it",
        party_->server));
  }
  co_return co_await party_->kerberos->open(
      {.service = offer.protocol(), .host = offer.serverid(), .protections = target.protections});
}

std::string Dialogue::cnonce() const {
  std::array<uint8_t, 30> bytes{};
  party_->random.fill(bytes);
  return base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

bool wants_sasl(const Target& target, const TokenQuery& query) {
  return target.kerberos || (target.find_token && target.find_token(query).has_value());
}

rt::Async<OutcomeOf<Handshake>> shake_hands(FrameChannel* channel, const HandshakeParty* party) {
  Dialogue dialogue(channel, party);
  co_return co_await dialogue.run();
}

std::string context_frame(const Target& target, AuthMethod method, std::string_view client_id) {
  const RpcRequestHeaderProto header = header_of(kContextId, client_id);
  IpcConnectionContextProto context;
  context.set_protocol(target.protocol.name);
  auto& user = *context.mutable_userinfo();
  // The server compares it with the whole principal: it would take a short name for a user to act
  // for.
  const bool known_by_ticket = method == AuthMethod::Kerberos && target.identity.real_user.empty();
  if (method != AuthMethod::Token && !known_by_ticket && !target.identity.user.empty()) {
    user.set_effectiveuser(target.identity.user);
  }
  if (method == AuthMethod::Simple && !target.identity.real_user.empty() &&
      target.identity.real_user != target.identity.user) {
    user.set_realuser(target.identity.real_user);
  }
  return frame_of({&header, &context});
}

bool principal_matches(std::string_view expected, std::string_view principal,
                       std::string_view host) {
  if (expected.empty()) {
    return false;
  }
  // The name a server gives has no realm.
  return matches_glob(with_host(expected.substr(0, expected.find('@')), host), principal);
}

}  // namespace muster::hadoop::rpc
