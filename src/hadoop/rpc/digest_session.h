#pragma once

#include "base/result.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/security_layer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// The ciphers of qop auth-conf that are supported here.
enum class DigestCipher : uint8_t { TripleDes, Rc4, Rc4Of56, Rc4Of40 };

/// "3des", "rc4", "rc4-56", "rc4-40".
[[nodiscard]] std::string_view to_string(DigestCipher cipher);
/// "auth", "auth-int", "auth-conf".
[[nodiscard]] std::string_view qop_of(Protection protection);

/// What both sides of one DIGEST-MD5 dialogue (RFC 2831) have agreed on; everything else follows.
struct DigestTerms {
  std::string username;
  std::string password;
  std::string realm;
  std::string nonce;
  std::string cnonce;
  std::string uri;
  std::string authzid;  ///< Empty: none.
  Protection protection = Protection::Authentication;
  DigestCipher cipher = DigestCipher::TripleDes;  ///< Only for Privacy.
};

/// The value of `response`, which proves the client: 32 hexadecimal digits.
[[nodiscard]] std::string digest_response(const DigestTerms& terms);
/// The value of `rspauth`, which proves the server.
[[nodiscard]] std::string digest_rspauth(const DigestTerms& terms);

enum class DigestSide : uint8_t { Client, Server };

/// The layer of one side; null for Authentication.
[[nodiscard]] std::unique_ptr<SecurityLayer> digest_layer(const DigestTerms& terms,
                                                          DigestSide side);

}  // namespace muster::hadoop::rpc
