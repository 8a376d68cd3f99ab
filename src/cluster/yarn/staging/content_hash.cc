#include "cluster/yarn/staging/content_hash.h"

#include "base/check.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>

namespace muster::cluster::yarn {

struct ContentHash::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  State() = default;
  State(State&&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  MUSTER_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1, "no SHA-256");
}

ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes) {
  MUSTER_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1, "no SHA-256");
}

std::string ContentHash::hex() {
  std::array<uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  MUSTER_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1, "no SHA-256");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", digest[i]);
  }
  return text;
}

}  // namespace muster::cluster::yarn
