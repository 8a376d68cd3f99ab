#include "hadoop/hdfs/blocks/varint.h"

namespace muster::hadoop::hdfs {

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (size_t at = 0; at < bytes.size() && at < kVarintBytesMax; ++at) {
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if (at == kVarintBytesMax - 1 && byte > 1) {
      return std::nullopt;
    }
    value |= static_cast<uint64_t>(byte & 0x7F) << (7 * at);
    if (byte < 0x80) {
      bytes.remove_prefix(at + 1);
      return value;
    }
  }
  return std::nullopt;
}

void put_varint(std::string& to, uint64_t value) {
  while (value >= 0x80) {
    to += static_cast<char>((value & 0x7F) | 0x80);
    value >>= 7;
  }
  to += static_cast<char>(value);
}

}  // namespace muster::hadoop::hdfs
