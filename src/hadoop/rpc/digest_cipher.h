#pragma once

#include "hadoop/rpc/digest_session.h"

#include <memory>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// One direction of an encrypted DIGEST-MD5 connection. Its state continues from message to
/// message.
class StreamCipher {
 public:
  enum class Mode : uint8_t { Encrypt, Decrypt };

  virtual ~StreamCipher() = default;
  /// Bytes whose multiple every message must be; 1 for a cipher without blocks.
  [[nodiscard]] virtual size_t block_bytes() const = 0;
  /// Appends the result for `input`, of the same size, to `out`.
  virtual void process(std::string_view input, std::string& out) = 0;
};

/// `key` is the sealing key Kc, 16 raw bytes.
[[nodiscard]] std::unique_ptr<StreamCipher> make_cipher(DigestCipher cipher, std::string_view key,
                                                        StreamCipher::Mode mode);

}  // namespace muster::hadoop::rpc
