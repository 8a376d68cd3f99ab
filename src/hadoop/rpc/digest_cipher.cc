#include "hadoop/rpc/digest_cipher.h"

#include "base/check.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

/// RC4. OpenSSL keeps it in a module of its own, which a static program cannot load.
class Rc4 final : public StreamCipher {
 public:
  explicit Rc4(std::string_view key) {
    std::iota(state_.begin(), state_.end(), uint8_t{0});
    uint8_t j = 0;
    for (size_t i = 0; i < state_.size(); ++i) {
      j = static_cast<uint8_t>(j + state_[i] + static_cast<uint8_t>(key[i % key.size()]));
      std::swap(state_[i], state_[j]);
    }
  }
  [[nodiscard]] size_t block_bytes() const override { return 1; }
  void process(std::string_view input, std::string& out) override {
    out.reserve(out.size() + input.size());
    for (const char byte : input) {
      ++i_;
      j_ = static_cast<uint8_t>(j_ + state_[i_]);
      std::swap(state_[i_], state_[j_]);
      const auto mask = state_[static_cast<uint8_t>(state_[i_] + state_[j_])];
      out.push_back(static_cast<char>(static_cast<uint8_t>(byte) ^ mask));
    }
  }

 private:
  std::array<uint8_t, 256> state_{};
  uint8_t i_ = 0;
  uint8_t j_ = 0;
};

/// Spreads 7 bytes over the 8 of a DES key: 7 bits in each, and odd parity.
std::string spread(std::string_view seven) {
  uint64_t bits = 0;
  for (const char byte : seven.substr(0, 7)) {
    bits = (bits << 8) | static_cast<uint8_t>(byte);
  }
  std::string key;
  for (int shift = 49; shift >= 0; shift -= 7) {
    const auto high = static_cast<uint8_t>(((bits >> shift) & 0x7f) << 1);
    key.push_back(static_cast<char>(high | (std::popcount(high) % 2 == 0 ? 1 : 0)));
  }
  return key;
}

/// Triple DES with two keys, chained across messages.
class TripleDes final : public StreamCipher {
 public:
  TripleDes(std::string_view key, Mode mode) : context_(EVP_CIPHER_CTX_new()) {
    const std::string keys = spread(key) + spread(key.substr(7));
    const int done = EVP_CipherInit_ex(
        context_, EVP_des_ede_cbc(), nullptr, reinterpret_cast<const uint8_t*>(keys.data()),
        reinterpret_cast<const uint8_t*>(key.data() + 8), mode == Mode::Encrypt ? 1 : 0);
    MUSTER_CHECK(done == 1, "OpenSSL has no DES-EDE-CBC");
    EVP_CIPHER_CTX_set_padding(context_, 0);
  }
  TripleDes(TripleDes&&) = delete;
  ~TripleDes() override { EVP_CIPHER_CTX_free(context_); }

  [[nodiscard]] size_t block_bytes() const override { return 8; }
  void process(std::string_view input, std::string& out) override {
    const size_t begin = out.size();
    out.resize(begin + input.size());
    int written = 0;
    const int done = EVP_CipherUpdate(context_, reinterpret_cast<uint8_t*>(out.data() + begin),
                                      &written, reinterpret_cast<const uint8_t*>(input.data()),
                                      static_cast<int>(input.size()));
    MUSTER_CHECK(done == 1 && static_cast<size_t>(written) == input.size(),
                 "DES needs whole blocks");
  }

 private:
  EVP_CIPHER_CTX* context_;
};

}  // namespace

std::unique_ptr<StreamCipher> make_cipher(DigestCipher cipher, std::string_view key,
                                          StreamCipher::Mode mode) {
  if (cipher == DigestCipher::TripleDes) {
    return std::make_unique<TripleDes>(key, mode);
  }
  return std::make_unique<Rc4>(key);
}

}  // namespace muster::hadoop::rpc
