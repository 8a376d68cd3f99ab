#include "hadoop/rpc/sasl_mechanism.h"

#include "hadoop/rpc/digest_client.h"

namespace muster::hadoop::rpc {
namespace {

class LayerGuard final : public MessageGuard {
 public:
  explicit LayerGuard(std::unique_ptr<SecurityLayer> layer) : layer_(std::move(layer)) {}
  rt::Async<Result<std::string>> wrap(std::string plain) override {
    std::string token;
    layer_->wrap(plain, token);
    co_return token;
  }
  rt::Async<Result<std::string>> unwrap(std::string token) override {
    std::string plain;
    MUSTER_CO_TRY_STATUS(layer_->unwrap(token, plain));
    co_return plain;
  }

 private:
  std::unique_ptr<SecurityLayer> layer_;
};

class TokenMechanism final : public SaslMechanism {
 public:
  explicit TokenMechanism(DigestClient client) : client_(std::move(client)) {}

  rt::Async<Result<std::string>> begin(std::string challenge) override {
    if (challenge.empty()) {
      co_return cluster_error("the server offers tokens without a DIGEST-MD5 challenge",
                              Errc::Corrupt);
    }
    auto response = client_.respond(challenge);
    answered_ = response.has_value();
    co_return response;
  }
  rt::Async<Result<std::string>> respond(std::string) override {
    co_return cluster_error("the server sent a second DIGEST-MD5 challenge", Errc::Corrupt);
  }
  rt::Async<Status> finish(std::optional<std::string> token) override {
    if (!answered_) {
      co_return cluster_error("the server ended the SASL dialogue too early", Errc::Corrupt);
    }
    co_return client_.verify(token.value_or(""));
  }
  std::unique_ptr<MessageGuard> guard() override { return guard_of(client_.layer()); }

 private:
  DigestClient client_;
  bool answered_ = false;
};

}  // namespace

std::unique_ptr<MessageGuard> guard_of(std::unique_ptr<SecurityLayer> layer) {
  return layer == nullptr ? nullptr : std::make_unique<LayerGuard>(std::move(layer));
}

std::unique_ptr<SaslMechanism> token_mechanism(const TokenSecret& token,
                                               std::vector<Protection> protections,
                                               std::string cnonce) {
  return std::make_unique<TokenMechanism>(
      DigestClient(digest_login(token, std::move(protections)), std::move(cnonce)));
}

}  // namespace muster::hadoop::rpc
