#include "client/submit/secret.h"

#include "base/text.h"

#include <string>

namespace muster::client {

Result<control::Secret> read_secret(os::Files& files, const cluster::JobFolder& folder) {
  constexpr uint64_t kSecretBytesMax = 4096;
  MUSTER_TRY(const std::string text, files.read(folder.secret(), kSecretBytesMax));
  return control::parse_key(trim(text));
}

}  // namespace muster::client
