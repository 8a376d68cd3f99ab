#include "control/keys.h"

#include "base/check.h"
#include "control/page_keys.h"
#include "net/tls.h"

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <memory>

namespace muster::control {
namespace {

struct Free {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

/// HKDF-SHA256 (RFC 5869) without salt.
Key expand(const Key& secret, std::string info) {
  net::prepare_crypto();
  const std::unique_ptr<EVP_KDF, Free> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, Free> context(EVP_KDF_CTX_new(kdf.get()));
  MUSTER_CHECK(context != nullptr, "the cryptographic library has no HKDF");
  Key key{};
  Key input = secret;
  char digest[] = "SHA256";
  const std::array parameters{
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, input.data(), input.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()),
      OSSL_PARAM_construct_end()};
  const int done = EVP_KDF_derive(context.get(), key.data(), key.size(), parameters.data());
  net::wipe(input);
  MUSTER_CHECK(done == 1, "the cryptographic library cannot derive a key");
  return key;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

Key derive_key(const Secret& secret, const Peer& peer) {
  // A master dials an agent under a key that the agent can derive, too.
  if (peer.kind == Peer::Kind::Master) {
    Key agent_key =
        derive_key(secret, Peer{.kind = Peer::Kind::Agent, .container = peer.container});
    const Key key = master_key_of(agent_key);
    net::wipe(agent_key);
    return key;
  }
  return expand(secret, "muster/1 " + peer.identity());
}

Key master_key_of(const Key& agent_key) { return expand(agent_key, "muster/1 master"); }

Key stream_key_of(const Key& agent_key, std::string_view ticket) {
  return expand(agent_key, "muster/1 stream " + std::string(ticket));
}

Key task_key_of(const Secret& secret) { return expand(secret, "muster/1 task key"); }

Key side_path_key_of(const Key& agent_key) { return expand(agent_key, "muster/1 side path"); }

PageKeys derive_page_keys(const Secret& secret) {
  return {.token = expand(secret, "muster/1 page token"),
          .path = expand(secret, "muster/1 page path"),
          .owner = expand(secret, "muster/1 page owner")};
}

std::string page_link(std::string_view address, const Secret& secret) {
  return "http://" + std::string(address) + "/#t=" + to_hex(derive_page_keys(secret).token);
}

std::string owner_page_link(std::string_view page, const Secret& secret) {
  return std::string(page) + "&o=" + to_hex(derive_page_keys(secret).owner);
}

std::string to_hex(const Key& key) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * key.size());
  for (const uint8_t byte : key) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Result<Key> parse_key(std::string_view hex) {
  Key key{};
  bool good = hex.size() == 2 * key.size();
  for (size_t at = 0; good && at < key.size(); ++at) {
    const int high = digit_value(hex[2 * at]);
    const int low = digit_value(hex[2 * at + 1]);
    good = high >= 0 && low >= 0;
    key[at] = static_cast<uint8_t>(high << 4 | low);
  }
  if (!good) {
    net::wipe(key);
    // Never quote the text itself: it may be almost a key.
    return Error{Errc::Corrupt, Blame::User, "a key must be 64 lower-case hexadecimal digits"};
  }
  return key;
}

}  // namespace muster::control
