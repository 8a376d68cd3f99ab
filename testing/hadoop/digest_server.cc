#include "testing/hadoop/digest_server.h"

#include "hadoop/rpc/digest_text.h"

#include <fmt/format.h>

namespace muster::testing {
namespace {

using namespace hadoop::rpc;

Error refused(std::string_view why) {
  return user_error(fmt::format("DIGEST-MD5: {}", why), Errc::Unauthenticated);
}

}  // namespace

std::string DigestServer::challenge() const {
  std::string qops;
  bool privacy = false;
  for (const Protection protection : options_.protections) {
    qops += fmt::format("{}{}", qops.empty() ? "" : ",", qop_of(protection));
    privacy = privacy || protection == Protection::Privacy;
  }
  std::string text = fmt::format("realm={},nonce={},qop={},charset=utf-8",
                                 in_quotes(options_.realm), in_quotes(nonce_), in_quotes(qops));
  if (privacy) {
    std::string ciphers;
    for (const DigestCipher cipher : options_.ciphers) {
      ciphers += fmt::format("{}{}", ciphers.empty() ? "" : ",", to_string(cipher));
    }
    text += fmt::format(",cipher={}", in_quotes(ciphers));
  }
  return text + ",algorithm=md5-sess";
}

Result<std::string> DigestServer::accept(std::string_view response) {
  MUSTER_TRY(const Directives said, Directives::parse(response));
  terms_ = {.username = std::string(said.find("username")),
            .realm = std::string(said.find("realm")),
            .nonce = nonce_,
            .cnonce = std::string(said.find("cnonce")),
            .uri = std::string(said.find("digest-uri")),
            .authzid = std::string(said.find("authzid"))};
  if (terms_.realm != options_.realm || terms_.uri != options_.uri ||
      said.find("nonce") != nonce_ || said.find("nc") != "00000001") {
    return refused("realm, digest-uri, nonce or nc is not mine");
  }
  bool known = false;
  for (const Protection protection : options_.protections) {
    if (said.find("qop") == qop_of(protection)) {
      terms_.protection = protection;
      known = true;
    }
  }
  if (!known) {
    return refused("the qop was not offered");
  }
  for (const DigestCipher cipher : options_.ciphers) {
    if (said.find("cipher") == to_string(cipher)) {
      terms_.cipher = cipher;
    }
  }
  const auto password = find_(terms_.username);
  if (!password.has_value()) {
    return refused("the user is not known");
  }
  terms_.password = *password;
  if (said.find("response") != digest_response(terms_)) {
    return refused("the response does not match");
  }
  return "rspauth=" + digest_rspauth(terms_);
}

}  // namespace muster::testing
