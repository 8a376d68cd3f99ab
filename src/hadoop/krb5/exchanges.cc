#include "hadoop/krb5/exchanges.h"

#include "hadoop/krb5/layer_choice.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace muster::hadoop::krb5 {
namespace {

using rpc::Protection;

Error broken(std::string_view what) {
  return {Errc::Unauthenticated, Blame::Cluster, std::string(what)};
}

/// Guards the messages of a connection after its dialogue.
class Guard final : public rpc::MessageGuard {
 public:
  Guard(std::unique_ptr<KerberosProcess> helper, bool confidential)
      : helper_(std::move(helper)), confidential_(confidential) {}

  rt::Async<Result<std::string>> wrap(std::string plain) override {
    return work(confidential_ ? Operation::WrapPrivate : Operation::Wrap, std::move(plain));
  }

  rt::Async<Result<std::string>> unwrap(std::string token) override {
    return work(confidential_ ? Operation::UnwrapPrivate : Operation::Unwrap, std::move(token));
  }

 private:
  rt::Async<Result<std::string>> work(Operation operation, std::string bytes) {
    Result<KerberosReply> reply = co_await helper_->ask(operation, std::move(bytes));
    if (!reply) {
      // The user was known before; now the stream itself is wrong.
      Error error = std::move(reply).error();
      error.code = error.code == Errc::Unauthenticated ? Errc::Corrupt : error.code;
      co_return error;
    }
    co_return std::move(reply->bytes);
  }

  std::unique_ptr<KerberosProcess> helper_;
  bool confidential_;
};

/// The client's side of GSSAPI in SASL (RFC 4752):
///
///     begin ── tokens of GSSAPI ──► complete ── the server's offer ──► chosen ── finish
class Mechanism final : public rpc::SaslMechanism {
 public:
  Mechanism(std::unique_ptr<KerberosProcess> helper, rpc::KerberosPeer peer)
      : helper_(std::move(helper)), peer_(std::move(peer)) {}

  rt::Async<Result<std::string>> begin(std::string challenge) override {
    if (!challenge.empty()) {
      co_return broken("the server starts the Kerberos exchange, which the client must do");
    }
    co_return co_await step(std::string());
  }

  rt::Async<Result<std::string>> respond(std::string challenge) override {
    if (chosen_) {
      co_return broken("the server continues the Kerberos exchange after its end");
    }
    if (!complete_) {
      co_return co_await step(std::move(challenge));
    }
    MUSTER_CO_TRY(const KerberosReply offer,
                  co_await helper_->ask(Operation::Unwrap, std::move(challenge)));
    MUSTER_CO_TRY(LayerChoice choice, choose_layer(offer.bytes, peer_.protections));
    MUSTER_CO_TRY(KerberosReply answer,
                  co_await helper_->ask(Operation::Wrap, std::move(choice.answer)));
    chosen_ = choice.protection;
    co_return std::move(answer.bytes);
  }

  rt::Async<Status> finish(std::optional<std::string>) override {
    if (!chosen_) {
      co_return broken("the server ends the Kerberos exchange before it has authenticated itself");
    }
    co_return Status();
  }

  std::unique_ptr<rpc::MessageGuard> guard() override {
    if (!chosen_ || *chosen_ == Protection::Authentication) {
      helper_.reset();
      return nullptr;
    }
    return std::make_unique<Guard>(std::move(helper_), *chosen_ == Protection::Privacy);
  }

 private:
  rt::Async<Result<std::string>> step(std::string token) {
    Result<KerberosReply> reply = co_await helper_->ask(Operation::Step, std::move(token));
    if (!reply) {
      co_return reply.error().within(fmt::format("{}@{}", peer_.service, peer_.host));
    }
    complete_ = reply->complete;
    co_return std::move(reply->bytes);
  }

  std::unique_ptr<KerberosProcess> helper_;
  rpc::KerberosPeer peer_;
  bool complete_ = false;
  std::optional<Protection> chosen_;
};

class Exchanges final : public rpc::KerberosExchanges {
 public:
  Exchanges(rt::IoLoop& loop, KerberosOptions options)
      : loop_(loop), options_(std::move(options)) {}

  rt::Async<Result<std::unique_ptr<rpc::SaslMechanism>>> open(rpc::KerberosPeer peer) override {
    MUSTER_CO_TRY(
        auto helper,
        KerberosProcess::start(loop_, options_, {fmt::format("{}@{}", peer.service, peer.host)}));
    co_return std::make_unique<Mechanism>(std::move(helper), std::move(peer));
  }

 private:
  rt::IoLoop& loop_;
  KerberosOptions options_;
};

}  // namespace

std::unique_ptr<rpc::KerberosExchanges> make_exchanges(rt::IoLoop& loop, KerberosOptions options) {
  return std::make_unique<Exchanges>(loop, std::move(options));
}

std::filesystem::path shipped_helper() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path("muster-krb5") : self.parent_path() / "muster-krb5";
}

}  // namespace muster::hadoop::krb5
