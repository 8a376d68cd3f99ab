#include "hadoop/rpc/digest_client.h"

#include "hadoop/rpc/digest_text.h"
#include "hadoop/rpc/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

constexpr std::array kStrongestFirst = {Protection::Privacy, Protection::Integrity,
                                        Protection::Authentication};
constexpr std::array kCiphers = {DigestCipher::TripleDes, DigestCipher::Rc4, DigestCipher::Rc4Of56,
                                 DigestCipher::Rc4Of40};

bool has_word(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

Error bad_challenge(std::string_view why) {
  return cluster_error(fmt::format("the server's DIGEST-MD5 challenge {}", why), Errc::Corrupt);
}

Error no_common_protection(std::span<const Protection> ours, std::string_view offered) {
  std::string wanted;
  for (const Protection protection : ours) {
    wanted += fmt::format("{}{}", wanted.empty() ? "" : ",", to_string(protection));
  }
  return user_error(
      fmt::format("no common protection: the server offers qop {}, the configuration allows {}; "
                  "set hadoop.rpc.protection (dfs.data.transfer.protection) to the server's value",
                  offered, wanted),
      Errc::Unauthenticated);
}

}  // namespace

DigestLogin digest_login(const TokenSecret& token, std::vector<Protection> protections) {
  return {.uri = "/default",
          .username = base64(token.identifier),
          .password = base64(token.password),
          .protections = std::move(protections)};
}

DigestClient::DigestClient(DigestLogin login, std::string cnonce)
    : protections_(std::move(login.protections)),
      terms_{.username = std::move(login.username),
             .password = std::move(login.password),
             .cnonce = std::move(cnonce),
             .uri = std::move(login.uri)} {
  if (protections_.empty()) {
    protections_.assign(kStrongestFirst.begin(), kStrongestFirst.end());
  }
}

Result<std::string> DigestClient::respond(std::string_view challenge) {
  MUSTER_TRY(const Directives offer, Directives::parse(challenge));
  if (offer.find("algorithm") != "md5-sess") {
    return bad_challenge(
        fmt::format("names the algorithm \"{}\", not md5-sess", offer.find("algorithm")));
  }
  if (offer.find("nonce").empty()) {
    return bad_challenge("has no nonce");
  }
  terms_.nonce = offer.find("nonce");
  terms_.realm = offer.find("realm");
  auto qops = offer.list("qop");
  if (qops.empty()) {
    qops = {"auth"};
  }
  const auto chosen = std::ranges::find_if(
      protections_, [&](Protection protection) { return has_word(qops, qop_of(protection)); });
  if (chosen == protections_.end()) {
    return no_common_protection(protections_, offer.find("qop"));
  }
  terms_.protection = *chosen;
  if (terms_.protection == Protection::Privacy) {
    const auto ciphers = offer.list("cipher");
    const auto* cipher = std::ranges::find_if(
        kCiphers, [&](DigestCipher known) { return has_word(ciphers, to_string(known)); });
    if (cipher == kCiphers.end()) {
      return cluster_error(
          fmt::format("no common cipher: the server offers {} for privacy", offer.find("cipher")),
          Errc::Unauthenticated);
    }
    terms_.cipher = *cipher;
  }
  std::string response = fmt::format("charset=utf-8,username={}", in_quotes(terms_.username));
  if (offer.has("realm")) {
    response += fmt::format(",realm={}", in_quotes(terms_.realm));
  }
  response +=
      fmt::format(",nonce={},nc=00000001,cnonce={},digest-uri={},maxbuf=65536,response={},qop={}",
                  in_quotes(terms_.nonce), in_quotes(terms_.cnonce), in_quotes(terms_.uri),
                  digest_response(terms_), qop_of(terms_.protection));
  if (terms_.protection == Protection::Privacy) {
    response += fmt::format(",cipher={}", in_quotes(to_string(terms_.cipher)));
  }
  return response;
}

Status DigestClient::verify(std::string_view token) const {
  MUSTER_TRY(const Directives answer, Directives::parse(token));
  if (!equal_secrets(answer.find("rspauth"), digest_rspauth(terms_))) {
    return cluster_error(
        "the server did not prove that it knows the token's password; another program may be "
        "answering at its address",
        Errc::Unauthenticated);
  }
  return {};
}

}  // namespace muster::hadoop::rpc
