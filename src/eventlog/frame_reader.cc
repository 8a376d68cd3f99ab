#include "eventlog/frame_reader.h"

#include "base/crc32c.h"
#include "eventlog/log_file.h"

#include <fmt/format.h>

namespace muster::eventlog {
namespace {

uint32_t little_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 4; i > 0; --i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

}  // namespace

std::optional<std::string_view> FrameReader::next() {
  if (bytes_.empty() || !damage_.empty()) {
    return std::nullopt;
  }
  if (bytes_.size() < kFrameHeadBytes || little_endian(bytes_) > bytes_.size() - kFrameHeadBytes) {
    damage_ = fmt::format("record cut off at byte {}", offset_);
    return std::nullopt;
  }
  const uint32_t length = little_endian(bytes_);
  const uint32_t expected = little_endian(bytes_.substr(4));
  const std::string_view payload = bytes_.substr(kFrameHeadBytes, length);
  // An empty payload could be a hole of zeros, which file systems leave after a crash.
  if (length == 0 || crc32c(payload) != expected) {
    damage_ = fmt::format("damaged record at byte {}", offset_);
    return std::nullopt;
  }
  bytes_.remove_prefix(kFrameHeadBytes + length);
  offset_ += kFrameHeadBytes + length;
  return payload;
}

}  // namespace muster::eventlog
