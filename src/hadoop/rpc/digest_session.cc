#include "hadoop/rpc/digest_session.h"

#include "base/check.h"
#include "hadoop/rpc/digest_cipher.h"
#include "hadoop/rpc/encoding.h"
#include "hadoop/rpc/md5.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

constexpr std::string_view kToServerSigning =
    "Digest session key to client-to-server signing key magic constant";
constexpr std::string_view kToClientSigning =
    "Digest session key to server-to-client signing key magic constant";
constexpr std::string_view kToServerSealing =
    "Digest H(A1) to client-to-server sealing key magic constant";
constexpr std::string_view kToClientSealing =
    "Digest H(A1) to server-to-client sealing key magic constant";

constexpr size_t kMacBytes = 10;
/// MAC, message type (2) and sequence number (4).
constexpr size_t kTrailerBytes = kMacBytes + 6;
constexpr std::string_view kType("\0\1", 2);

/// H(A1): what the password contributes to everything.
std::string session_key(const DigestTerms& terms) {
  std::string a1 = md5(fmt::format("{}:{}:{}", terms.username, terms.realm, terms.password));
  a1 += fmt::format(":{}:{}", terms.nonce, terms.cnonce);
  if (!terms.authzid.empty()) {
    a1 += ":" + terms.authzid;
  }
  return md5(a1);
}

std::string proof(const DigestTerms& terms, std::string_view verb) {
  std::string a2 = fmt::format("{}:{}", verb, terms.uri);
  if (terms.protection != Protection::Authentication) {
    a2 += ":" + std::string(32, '0');
  }
  return hex(md5(fmt::format("{}:{}:00000001:{}:{}:{}", hex(session_key(terms)), terms.nonce,
                             terms.cnonce, qop_of(terms.protection), hex(md5(a2)))));
}

size_t key_bytes(DigestCipher cipher) {
  switch (cipher) {
    case DigestCipher::TripleDes:
    case DigestCipher::Rc4:
      return 16;
    case DigestCipher::Rc4Of56:
      return 7;
    case DigestCipher::Rc4Of40:
      return 5;
  }
  std::unreachable();
}

/// One direction: its keys and the number of its next message.
struct Direction {
  std::string signing;
  std::unique_ptr<StreamCipher> cipher;  ///< Null for Integrity.
  uint32_t sequence = 0;

  [[nodiscard]] std::string mac(std::string_view plain) const {
    std::string number;
    append_be32(number, sequence);
    return hmac_md5(signing, number, plain).substr(0, kMacBytes);
  }
};

Error damaged(std::string_view why) {
  return cluster_error(
      fmt::format(
          "a protected message was damaged or forged in transit: {}; closing the connection", why),
      Errc::Corrupt);
}

class DigestLayer final : public SecurityLayer {
 public:
  DigestLayer(Direction sending, Direction receiving)
      : sending_(std::move(sending)), receiving_(std::move(receiving)) {}

  void wrap(std::string_view plain, std::string& out) override;
  [[nodiscard]] Status unwrap(std::string_view token, std::string& out) override;

 private:
  [[nodiscard]] Status open_sealed(std::string_view sealed, std::string& out);

  Direction sending_;
  Direction receiving_;
};

void DigestLayer::wrap(std::string_view plain, std::string& out) {
  const std::string mac = sending_.mac(plain);
  if (sending_.cipher == nullptr) {
    out.append(plain).append(mac);
  } else {
    std::string input(plain);
    if (const size_t block = sending_.cipher->block_bytes(); block > 1) {
      const size_t padding = block - ((plain.size() + kMacBytes) % block);
      input.append(padding, static_cast<char>(padding));
    }
    input.append(mac);
    sending_.cipher->process(input, out);
  }
  out.append(kType);
  append_be32(out, sending_.sequence++);
}

Status DigestLayer::unwrap(std::string_view token, std::string& out) {
  if (token.size() < kTrailerBytes) {
    return damaged("it is too short");
  }
  const std::string_view body = token.substr(0, token.size() - 6);
  const std::string_view trailer = token.substr(body.size());
  if (trailer.substr(0, 2) != kType) {
    return damaged("its type is unknown");
  }
  if (read_be32(trailer.substr(2)) != receiving_.sequence) {
    return damaged("its sequence number is out of order");
  }
  const size_t begin = out.size();
  if (receiving_.cipher != nullptr) {
    MUSTER_TRY_STATUS(open_sealed(body, out));
  } else {
    out.append(body);
  }
  const std::string mac = out.substr(out.size() - kMacBytes);
  out.resize(out.size() - kMacBytes);
  if (receiving_.cipher != nullptr && receiving_.cipher->block_bytes() > 1) {
    const size_t plain = out.size() - begin;
    const size_t padding = plain == 0 ? 0 : static_cast<uint8_t>(out.back());
    if (padding == 0 || padding > receiving_.cipher->block_bytes() || padding > plain) {
      return damaged("its padding is wrong");
    }
    out.resize(out.size() - padding);
  }
  if (!equal_secrets(mac, receiving_.mac(std::string_view(out).substr(begin)))) {
    return damaged("its authentication code does not match");
  }
  ++receiving_.sequence;
  return {};
}

/// Appends the decrypted text with its padding and its MAC.
Status DigestLayer::open_sealed(std::string_view sealed, std::string& out) {
  if (sealed.size() % receiving_.cipher->block_bytes() != 0) {
    return damaged("its size is odd");
  }
  receiving_.cipher->process(sealed, out);
  return {};
}

}  // namespace

std::string_view to_string(DigestCipher cipher) {
  switch (cipher) {
    case DigestCipher::TripleDes:
      return "3des";
    case DigestCipher::Rc4:
      return "rc4";
    case DigestCipher::Rc4Of56:
      return "rc4-56";
    case DigestCipher::Rc4Of40:
      return "rc4-40";
  }
  std::unreachable();
}

std::string_view qop_of(Protection protection) {
  switch (protection) {
    case Protection::Authentication:
      return "auth";
    case Protection::Integrity:
      return "auth-int";
    case Protection::Privacy:
      return "auth-conf";
  }
  std::unreachable();
}

std::string digest_response(const DigestTerms& terms) { return proof(terms, "AUTHENTICATE"); }

std::string digest_rspauth(const DigestTerms& terms) { return proof(terms, ""); }

std::unique_ptr<SecurityLayer> digest_layer(const DigestTerms& terms, DigestSide side) {
  if (terms.protection == Protection::Authentication) {
    return nullptr;
  }
  const std::string key = session_key(terms);
  const auto direction = [&](bool to_server, StreamCipher::Mode mode) {
    Direction made;
    made.signing = md5(key + std::string(to_server ? kToServerSigning : kToClientSigning));
    if (terms.protection == Protection::Privacy) {
      const std::string sealing = md5(key.substr(0, key_bytes(terms.cipher)) +
                                      std::string(to_server ? kToServerSealing : kToClientSealing));
      made.cipher = make_cipher(terms.cipher, sealing, mode);
    }
    return made;
  };
  const bool client = side == DigestSide::Client;
  return std::make_unique<DigestLayer>(direction(client, StreamCipher::Mode::Encrypt),
                                       direction(!client, StreamCipher::Mode::Decrypt));
}

}  // namespace muster::hadoop::rpc
