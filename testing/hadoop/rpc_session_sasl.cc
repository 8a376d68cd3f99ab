#include "hadoop/rpc/encoding.h"
#include "hadoop/rpc/frame.h"
#include "testing/hadoop/rpc_session.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace muster::testing {

using hadoop::rpc::frame_of;

void RpcSession::send_sasl(const Sasl& message) {
  Header header;
  header.set_callid(static_cast<uint32_t>(hadoop::rpc::kSaslId));
  header.set_status(Header::SUCCESS);
  header.set_serveripcversionnum(9);
  send(frame_of({&header, &message}));
}

void RpcSession::offer() {
  digest_ = std::make_unique<DigestServer>(
      DigestServer::Options{.protections = server_->options_.protections,
                            .ciphers = server_->options_.ciphers},
      fmt::format("nonce+/{}=", server_->connections_),
      [this](std::string_view username) -> std::optional<std::string> {
        for (const auto& [identifier, password] : server_->options_.tokens) {
          if (hadoop::rpc::base64(identifier) == username) {
            user_ = identifier;
            return hadoop::rpc::base64(password);
          }
        }
        return std::nullopt;
      });
  Sasl message;
  message.set_state(Sasl::NEGOTIATE);
  auto& token = *message.add_auths();
  token.set_method("TOKEN");
  token.set_mechanism("DIGEST-MD5");
  token.set_protocol("");
  token.set_serverid("default");
  token.set_challenge(digest_->challenge());
  if (server_->options_.simple) {
    auto& simple = *message.add_auths();
    simple.set_method("SIMPLE");
    simple.set_mechanism("");
  }
  send_sasl(message);
}

bool RpcSession::on_sasl(const Sasl& message) {
  if (message.state() == Sasl::WRAP && layer_ != nullptr) {
    std::string plain;
    if (!layer_->unwrap(message.token(), plain).has_value()) {
      return true;  // Like the JDK: a message with a wrong code vanishes.
    }
    inner_.feed(plain);
    while (true) {
      auto frame = inner_.next();
      if (!frame.has_value()) {
        return false;
      }
      if (!frame->has_value()) {
        return true;
      }
      if (!on_frame(**frame)) {
        return false;
      }
    }
  }
  if (message.state() == Sasl::NEGOTIATE) {
    if (server_->options_.tokens.empty() && server_->options_.simple) {
      Sasl success;
      success.set_state(Sasl::SUCCESS);
      send_sasl(success);
      authenticated_ = true;
      return true;
    }
    offer();
    return true;
  }
  if (message.state() == Sasl::INITIATE) {
    return on_initiate(message);
  }
  return fatal(hadoop::rpc::kSaslId, Header::FATAL_INVALID_RPC_HEADER,
               "javax.security.sasl.SaslException", "unexpected state");
}

bool RpcSession::on_initiate(const Sasl& message) {
  if (message.auths_size() == 1 && message.auths(0).method() == "SIMPLE" &&
      server_->options_.simple) {
    authenticated_ = true;
    return true;
  }
  const bool echoed = message.auths_size() == 1 && message.auths(0).method() == "TOKEN" &&
                      message.auths(0).mechanism() == "DIGEST-MD5" &&
                      message.auths(0).has_protocol() && message.auths(0).serverid() == "default" &&
                      !message.auths(0).has_challenge();
  if (!echoed || !message.has_token() || digest_ == nullptr) {
    return fatal(hadoop::rpc::kSaslId, Header::FATAL_UNAUTHORIZED, kAccess,
                 "the client's choice was not offered");
  }
  if (server_->options_.standby) {
    return fatal(hadoop::rpc::kSaslId, Header::FATAL_UNAUTHORIZED, kStandby,
                 "Operation category READ is not supported in state standby");
  }
  const auto rspauth = digest_->accept(message.token());
  if (!rspauth.has_value()) {
    return fatal(hadoop::rpc::kSaslId, Header::FATAL_UNAUTHORIZED, kInvalidToken,
                 "token (owner=alice) can't be found in cache");
  }
  Sasl success;
  success.set_state(Sasl::SUCCESS);
  if (!server_->faults_.early_success) {
    success.set_token(*rspauth);
  }
  send_sasl(success);
  if (server_->faults_.garbage_after_sasl) {
    send("\xfe\xdc no frame at all");
  }
  authenticated_ = true;
  by_token_ = true;
  layer_ = digest_->layer();
  return true;
}

}  // namespace muster::testing
