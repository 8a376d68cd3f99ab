#include "inside/remote_start.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace muster::inside {

std::string proof_of(const std::string& key, const std::string& challenge,
                     const std::string& command) {
  const std::string text = challenge + "\n" + command;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4U];
    hex += kDigits[digest[i] & 0xfU];
  }
  return hex;
}

}  // namespace muster::inside
