#include "hadoop/hdfs/blocks/stream_ciphers.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// The longest plain text in one token: with MAC and padding it stays below 64 KiB.
constexpr size_t kPlainBytesMax = 60U << 10;
/// No peer makes larger tokens.
constexpr uint32_t kTokenBytesMax = 16U << 20;

class WrappingCipher final : public StreamCipher {
 public:
  explicit WrappingCipher(std::unique_ptr<rpc::SecurityLayer> layer) : layer_(std::move(layer)) {}

  Result<size_t> open(std::string_view wire, std::string& plain) override {
    size_t used = 0;
    while (wire.size() - used >= 4) {
      const auto at = [&](size_t i) {
        return static_cast<uint32_t>(static_cast<unsigned char>(wire[used + i]));
      };
      const uint32_t length = at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3);
      if (length > kTokenBytesMax) {
        return cluster_error(fmt::format("a DataNode sent a protected message of {} bytes; it does "
                                         "not protect the transfer as the configuration says",
                                         length),
                             Errc::Corrupt);
      }
      if (wire.size() - used - 4 < length) {
        break;
      }
      MUSTER_TRY_STATUS(layer_->unwrap(wire.substr(used + 4, length), plain));
      used += 4 + length;
    }
    return used;
  }

  Status seal(std::string_view plain, std::string& wire) override {
    while (!plain.empty()) {
      const std::string_view piece = plain.substr(0, kPlainBytesMax);
      plain.remove_prefix(piece.size());
      std::string token;
      layer_->wrap(piece, token);
      for (int shift = 24; shift >= 0; shift -= 8) {
        wire += static_cast<char>(token.size() >> shift);
      }
      wire += token;
    }
    return {};
  }

 private:
  std::unique_ptr<rpc::SecurityLayer> layer_;
};

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* cipher_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

const EVP_CIPHER* cipher_for(size_t key_bytes) {
  switch (key_bytes) {
    case 16:
      return EVP_aes_128_ctr();
    case 24:
      return EVP_aes_192_ctr();
    case 32:
      return EVP_aes_256_ctr();
    default:
      return nullptr;
  }
}

/// Counter mode is the same in both directions.
Result<Context> make_context(const AesKey& key) {
  const EVP_CIPHER* cipher = cipher_for(key.key.size());
  Context context(EVP_CIPHER_CTX_new());
  if (cipher == nullptr || key.counter.size() != 16 || context == nullptr ||
      EVP_EncryptInit_ex(context.get(), cipher, nullptr, cipher_bytes(key.key),
                         cipher_bytes(key.counter)) != 1) {
    return cluster_error(fmt::format("a DataNode sent an AES key of {} bytes with a counter of {}",
                                     key.key.size(), key.counter.size()),
                         Errc::Corrupt);
  }
  return context;
}

void run(EVP_CIPHER_CTX* context, std::string_view from, std::string& to) {
  const size_t begin = to.size();
  to.resize(begin + from.size());
  while (!from.empty()) {
    const auto piece = static_cast<int>(std::min<size_t>(from.size(), 1U << 20));
    int written = 0;
    EVP_EncryptUpdate(context,
                      reinterpret_cast<unsigned char*>(to.data()) + (to.size() - from.size()),
                      &written, cipher_bytes(from), piece);
    from.remove_prefix(static_cast<size_t>(piece));
  }
}

class AesCipher final : public StreamCipher {
 public:
  AesCipher(Context to_node, Context from_node)
      : to_node_(std::move(to_node)), from_node_(std::move(from_node)) {}

  Result<size_t> open(std::string_view wire, std::string& plain) override {
    run(from_node_.get(), wire, plain);
    return wire.size();
  }
  Status seal(std::string_view plain, std::string& wire) override {
    run(to_node_.get(), plain, wire);
    return {};
  }

 private:
  Context to_node_;
  Context from_node_;
};

}  // namespace

std::unique_ptr<StreamCipher> wrapping_cipher(std::unique_ptr<rpc::SecurityLayer> layer) {
  return std::make_unique<WrappingCipher>(std::move(layer));
}

Result<std::unique_ptr<StreamCipher>> aes_cipher(const AesKeys& keys) {
  MUSTER_TRY(Context to_node, make_context(keys.to_node));
  MUSTER_TRY(Context from_node, make_context(keys.from_node));
  return std::make_unique<AesCipher>(std::move(to_node), std::move(from_node));
}

}  // namespace muster::hadoop::hdfs
