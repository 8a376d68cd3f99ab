#include "hadoop/rpc/digest_client.h"
#include "hadoop/rpc/digest_text.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

/// What a server may say in a DIGEST-MD5 dialogue, and what it may wrap afterwards.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster::hadoop::rpc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto directives = Directives::parse(text);
  if (directives.has_value()) {
    static_cast<void>(directives->list("qop"));
  }
  DigestClient client(digest_login({.identifier = "i", .password = "p"}, {}), "cnonce");
  if (client.respond(text).has_value()) {
    static_cast<void>(client.verify(text));
  }
  for (const Protection protection : {Protection::Integrity, Protection::Privacy}) {
    for (const DigestCipher cipher : {DigestCipher::TripleDes, DigestCipher::Rc4}) {
      DigestTerms terms{.username = "u", .password = "p", .nonce = "n", .cnonce = "c"};
      terms.protection = protection;
      terms.cipher = cipher;
      std::string out;
      static_cast<void>(digest_layer(terms, DigestSide::Client)->unwrap(text, out));
    }
  }
  return 0;
}
