#pragma once

#include "base/result.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "hadoop/rpc/security_layer.h"

#include <memory>
#include <string>

namespace muster::hadoop::hdfs {

/// Frames of a four-byte length and a token of `layer`, as in SASL-protected data transfer.
[[nodiscard]] std::unique_ptr<StreamCipher> wrapping_cipher(
    std::unique_ptr<rpc::SecurityLayer> layer);

/// One direction's key (16, 24 or 32 bytes) and initial counter (16 bytes).
struct AesKey {
  std::string key;
  std::string counter;
};
struct AesKeys {
  AesKey to_node;
  AesKey from_node;
};
/// AES in counter mode over the bare stream. Corrupt if a key or counter has an invalid length.
[[nodiscard]] Result<std::unique_ptr<StreamCipher>> aes_cipher(const AesKeys& keys);

}  // namespace muster::hadoop::hdfs
