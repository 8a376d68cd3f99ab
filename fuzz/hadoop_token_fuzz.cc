// Hadoop token files, token identifiers and Kerberos ticket caches from any bytes: what is accepted
// is written and read again, unchanged, in both formats.

#include "base/check.h"
#include "hadoop/credentials.h"
#include "hadoop/ticket_cache.h"
#include "hadoop/token_identifier.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using muster::Result;
using namespace muster::hadoop;

namespace {

template <class T>
void check(const Result<T>& result) {
  MUSTER_CHECK(result.has_value() || !result.error().message.empty(), "an error says why");
}

void check_credentials(std::string_view bytes) {
  const Result<Credentials> credentials = decode_credentials(bytes);
  check(credentials);
  if (!credentials) {
    return;
  }
  for (const CredentialsFormat format :
       {CredentialsFormat::Writable, CredentialsFormat::Protobuf}) {
    const Result<Credentials> again = decode_credentials(encode_credentials(*credentials, format));
    MUSTER_CHECK(again.has_value() && *again == *credentials, "credentials are read back");
  }
}

void check_identifier(std::string_view bytes) {
  for (const std::string_view kind :
       {token_kind::kHdfs, token_kind::kResourceManager, token_kind::kAmRm,
        token_kind::kNodeManager, token_kind::kContainer, token_kind::kBlock}) {
    const Token token{.identifier = std::string(bytes),
                      .password = Secret("secret"),
                      .kind = std::string(kind),
                      .service = "s"};
    MUSTER_CHECK(!describe(token, muster::WallTime{}).empty(), "every token can be described");
    MUSTER_CHECK(!encode_url_token(token).empty(), "every token can be written");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_credentials(bytes);
  check_identifier(bytes);
  const Result<TicketCache> cache = parse_ticket_cache(bytes);
  check(cache);
  if (cache) {
    (void)cache->granting();
  }
  return 0;
}
