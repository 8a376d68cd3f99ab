#pragma once

#include "base/result.h"
#include "hadoop/rpc/digest_session.h"
#include "hadoop/rpc/options.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::rpc {

/// What a client brings into a DIGEST-MD5 dialogue.
struct DigestLogin {
  std::string uri;                      ///< "/default" for RPC, "hdfs/0" for data transfer.
  std::string username;                 ///< Base64 of the token's identifier.
  std::string password;                 ///< Base64 of the token's password.
  std::vector<Protection> protections;  ///< By preference; empty takes the strongest offered.
};

/// Returns the login of a token for Hadoop RPC.
[[nodiscard]] DigestLogin digest_login(const TokenSecret& token,
                                       std::vector<Protection> protections);

/// The client's side of one DIGEST-MD5 dialogue: challenge, response, rspauth, then perhaps a
/// layer. It reads and writes nothing itself.
class DigestClient {
 public:
  /// `cnonce` is unpredictable printable text without quotes, fresh for each dialogue.
  DigestClient(DigestLogin login, std::string cnonce);

  /// Answers the challenge. Corrupt if it is malformed, Unauthenticated if the two sides have no
  /// protection or cipher in common.
  [[nodiscard]] Result<std::string> respond(std::string_view challenge);
  /// Checks the server's last message, `rspauth=...`, which proves that it knows the password, too.
  [[nodiscard]] Status verify(std::string_view token) const;

  /// What was agreed on; after respond().
  [[nodiscard]] Protection protection() const { return terms_.protection; }
  /// Null for Authentication; after verify().
  [[nodiscard]] std::unique_ptr<SecurityLayer> layer() const {
    return digest_layer(terms_, DigestSide::Client);
  }

 private:
  std::vector<Protection> protections_;
  DigestTerms terms_;
};

}  // namespace muster::hadoop::rpc
