#include "hadoop/hdfs/blocks/transfer_security.h"

#include "hadoop/hdfs/blocks/stream_ciphers.h"
#include "hadoop/hdfs/blocks/varint.h"
#include "hadoop/hdfs/records.h"
#include "hadoop/rpc/digest_client.h"
#include "hadoop/rpc/encoding.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <utility>
#include <vector>

namespace muster::hadoop::hdfs {
namespace {

using Message = pb::DataTransferEncryptorMessageProto;

constexpr std::string_view kMagic = "\xDE\xAD\xBE\xEF";
constexpr std::string_view kUri = "hdfs/0";
constexpr size_t kHandshakeBytesMax = 64U << 10;
/// The last privileged port: only root can have answered there.
constexpr uint32_t kPrivilegedPortMax = 1023;

std::string delimited(const Message& message) {
  std::string bytes;
  put_varint(bytes, message.ByteSizeLong());
  message.AppendToString(&bytes);
  return bytes;
}

/// One client's rules, with the NameNode's answers cached.
class Security final : public TransferSecurity {
 public:
  Security(TransferSecurityDeps deps, const SecuritySettings& settings)
      : deps_(deps), settings_(settings) {}

  rt::Async<Status> secure(DataStream* stream, Datanode node, Token token) override;

 private:
  rt::Async<Result<bool>> encrypts();
  rt::Async<Result<rpc::DigestLogin>> encryption_login();
  rt::Async<Status> shake_hands(DataStream* stream, rpc::DigestLogin login);
  rt::Async<Result<Message>> exchange(DataStream* stream, std::string request);
  Status install(DataStream* stream, const rpc::DigestClient& client, const Message& last) const;
  std::string make_cnonce() const;

  TransferSecurityDeps deps_;
  SecuritySettings settings_;
  std::optional<bool> encrypts_;
  std::optional<EncryptionKey> key_;
};

rt::Async<Status> Security::secure(DataStream* stream, Datanode node, Token token) {
  MUSTER_CO_TRY(const bool encrypted, co_await encrypts());
  if (encrypted) {
    MUSTER_CO_TRY(rpc::DigestLogin login, co_await encryption_login());
    co_return co_await shake_hands(stream, std::move(login));
  }
  if (settings_.authentication != Authentication::Kerberos ||
      node.data_port <= kPrivilegedPortMax) {
    co_return Status();
  }
  if (settings_.data_transfer_protection.empty()) {
    stream->set_doubt(
        "it may require a handshake: set dfs.data.transfer.protection here as on the cluster");
    co_return Status();
  }
  std::vector<rpc::Protection> protections;
  for (const Protection protection : settings_.data_transfer_protection) {
    protections.push_back(static_cast<rpc::Protection>(protection));
  }
  rpc::DigestLogin login{.uri = std::string(kUri),
                         .username = rpc::base64(token.identifier),
                         .password = rpc::base64(token.password.reveal()),
                         .protections = std::move(protections)};
  co_return co_await shake_hands(stream, std::move(login));
}

rt::Async<Result<bool>> Security::encrypts() {
  if (!encrypts_.has_value()) {
    MUSTER_CO_TRY(const ServerDefaults defaults, co_await deps_.name_node.server_defaults());
    encrypts_ = defaults.encrypt_data;
  }
  co_return *encrypts_;
}

rt::Async<Result<rpc::DigestLogin>> Security::encryption_login() {
  const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
      deps_.loop.wall_now().time_since_epoch());
  if (!key_.has_value() || key_->expires_ms <= now.count()) {
    MUSTER_CO_TRY(key_, co_await deps_.name_node.encryption_key());
    if (!key_.has_value()) {
      co_return cluster_error(
          "the NameNode requires encrypted data transfer but provides no key for it; is "
          "dfs.block.access.token.enable set there?",
          Errc::Unsupported);
    }
  }
  co_return rpc::DigestLogin{
      .uri = std::string(kUri),
      .username = fmt::format("{} {} {}", key_->key_id, key_->pool, rpc::base64(key_->nonce)),
      .password = rpc::base64(key_->key),
      .protections = {rpc::Protection::Privacy}};
}

std::string Security::make_cnonce() const {
  std::array<uint8_t, 24> bytes{};
  deps_.random.fill(bytes);
  return rpc::base64({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

rt::Async<Result<Message>> Security::exchange(DataStream* stream, std::string request) {
  std::vector<std::string_view> pieces = {request};
  MUSTER_CO_TRY_STATUS(co_await stream->send(std::move(pieces)));
  MUSTER_CO_TRY(const std::string_view bytes, co_await stream->take_delimited(kHandshakeBytesMax));
  Message message;
  if (!parse(message, bytes)) {
    co_return cluster_error(fmt::format("DataNode {} does not answer the handshake; is "
                                        "dfs.data.transfer.protection the same there and here?",
                                        stream->peer()),
                            Errc::Corrupt);
  }
  if (message.status() == Message::SUCCESS) {
    co_return message;
  }
  key_.reset();  // If it was the key, the next try gets a new one.
  const bool may_come_again =
      message.status() == Message::ERROR_UNKNOWN_KEY || message.accesstokenerror();
  co_return cluster_error(fmt::format("DataNode {} refuses the handshake: {}", stream->peer(),
                                      message.message().empty() ? "unknown key or token"
                                                                : message.message().substr(0, 300)),
                          may_come_again ? Errc::Unauthenticated : Errc::Unavailable);
}

rt::Async<Status> Security::shake_hands(DataStream* stream, rpc::DigestLogin login) {
  rpc::DigestClient client(std::move(login), make_cnonce());
  Message first;
  first.set_status(Message::SUCCESS);
  first.set_payload("");
  MUSTER_CO_TRY(const Message challenge,
                co_await exchange(stream, std::string(kMagic) + delimited(first)));
  Message second;
  second.set_status(Message::SUCCESS);
  MUSTER_CO_TRY(*second.mutable_payload(), client.respond(challenge.payload()));
  if (client.protection() == rpc::Protection::Privacy &&
      settings_.data_transfer_cipher_suite == "AES/CTR/NoPadding") {
    second.add_cipheroption()->set_suite(pb::AES_CTR_NOPADDING);
  }
  MUSTER_CO_TRY(const Message last, co_await exchange(stream, delimited(second)));
  MUSTER_CO_TRY_STATUS(client.verify(last.payload()));
  co_return install(stream, client, last);
}

Status Security::install(DataStream* stream, const rpc::DigestClient& client,
                         const Message& last) const {
  std::unique_ptr<rpc::SecurityLayer> layer = client.layer();
  if (layer == nullptr) {
    return {};
  }
  if (last.cipheroption_size() == 0) {
    stream->secure(wrapping_cipher(std::move(layer)));
    return {};
  }
  const pb::CipherOptionProto& option = last.cipheroption(0);
  if (option.suite() != pb::AES_CTR_NOPADDING) {
    return cluster_error(
        fmt::format("DataNode {} chose a cipher that was not offered", stream->peer()),
        Errc::Unsupported);
  }
  // "In" and "out" are the DataNode's; the keys are protected by the handshake's own layer.
  AesKeys keys;
  MUSTER_TRY_STATUS(layer->unwrap(option.inkey(), keys.to_node.key));
  MUSTER_TRY_STATUS(layer->unwrap(option.outkey(), keys.from_node.key));
  keys.to_node.counter = option.iniv();
  keys.from_node.counter = option.outiv();
  MUSTER_TRY(std::unique_ptr<StreamCipher> cipher, aes_cipher(keys));
  stream->secure(std::move(cipher));
  return {};
}

}  // namespace

std::unique_ptr<TransferSecurity> make_transfer_security(TransferSecurityDeps deps,
                                                         const SecuritySettings& settings) {
  return std::make_unique<Security>(deps, settings);
}

}  // namespace muster::hadoop::hdfs
