#pragma once

#include "base/result.h"
#include "hadoop/rpc/digest_session.h"
#include "hadoop/rpc/security_layer.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// The server's side of one DIGEST-MD5 dialogue, for fakes of RPC servers and DataNodes.
class DigestServer {
 public:
  struct Options {
    std::string realm = "default";
    std::string uri = "/default";
    /// In the server's order.
    std::vector<hadoop::rpc::Protection> protections = {hadoop::rpc::Protection::Authentication};
    std::vector<hadoop::rpc::DigestCipher> ciphers = {hadoop::rpc::DigestCipher::TripleDes,
                                                      hadoop::rpc::DigestCipher::Rc4};
  };
  /// Returns the password (as the client sends it: base64) of a user name; nullopt refuses the
  /// user.
  using FindPassword = std::function<std::optional<std::string>(std::string_view username)>;

  DigestServer(Options options, std::string nonce, FindPassword find)
      : options_(std::move(options)), nonce_(std::move(nonce)), find_(std::move(find)) {}

  [[nodiscard]] std::string challenge() const;
  /// Checks a response and returns `rspauth=...`; Unauthenticated for a wrong response.
  [[nodiscard]] Result<std::string> accept(std::string_view response);
  [[nodiscard]] const std::string& username() const { return terms_.username; }
  [[nodiscard]] std::unique_ptr<hadoop::rpc::SecurityLayer> layer() const {
    return digest_layer(terms_, hadoop::rpc::DigestSide::Server);
  }

 private:
  Options options_;
  std::string nonce_;
  FindPassword find_;
  hadoop::rpc::DigestTerms terms_;
};

}  // namespace muster::testing
