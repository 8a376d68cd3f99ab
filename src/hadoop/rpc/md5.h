#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// MD5 as DIGEST-MD5 needs it (not for anything new). Our own: hosts in FIPS mode lack it.
class Md5 {
 public:
  static constexpr size_t kBytes = 16;

  Md5();
  void update(std::string_view bytes);
  /// Returns the digest, 16 raw bytes; the object is used up.
  [[nodiscard]] std::string finish();

 private:
  void transform(const uint8_t* block);

  std::array<uint32_t, 4> state_;
  uint64_t size_ = 0;
  std::array<uint8_t, 64> block_{};
};

/// The digest of one text, raw.
[[nodiscard]] std::string md5(std::string_view bytes);
/// HMAC-MD5 of `first` and `second` together, raw; two parts save a copy.
[[nodiscard]] std::string hmac_md5(std::string_view key, std::string_view first,
                                   std::string_view second = {});

}  // namespace muster::hadoop::rpc
