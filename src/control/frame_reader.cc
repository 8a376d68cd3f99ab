#include "control/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace muster::control {
namespace {

/// Of what a frame says that it has: more is kept only as it comes.
constexpr size_t kReserveMax = 128U << 10;

size_t length_of(std::string_view header) {
  size_t length = 0;
  for (size_t at = kFrameHeader; at > 0; --at) {
    length = length << 8 | static_cast<uint8_t>(header[at - 1]);
  }
  return length;
}

}  // namespace

std::string frame_header(size_t frame_bytes) {
  std::string header;
  for (size_t at = 0; at < kFrameHeader; ++at) {
    header += static_cast<char>(frame_bytes >> (8 * at) & 0xFF);
  }
  return header;
}

Status FrameReader::feed(std::string_view bytes, const OnFrame& on_frame) {
  // One turn for each frame, whole or not, that begins or goes on in `bytes`.
  while (!bytes.empty()) {
    if (pending_.size() < kFrameHeader && (!pending_.empty() || bytes.size() < kFrameHeader)) {
      const size_t part = std::min(kFrameHeader - pending_.size(), bytes.size());
      pending_.append(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (pending_.size() < kFrameHeader) {
        break;
      }
    }
    const size_t length = length_of(pending_.empty() ? bytes : std::string_view(pending_));
    if (length > frame_max_) {
      return Error{
          Errc::Corrupt, Blame::Muster,
          fmt::format("received a frame of {} bytes; at most {} are allowed", length, frame_max_)};
    }
    const size_t missing = kFrameHeader + length - pending_.size();
    if (bytes.size() < missing) {
      pending_.reserve(std::min(kFrameHeader + length, kReserveMax));
      pending_.append(bytes);
      break;
    }
    // The frame is whole: in place, or with its beginning in `pending_`.
    std::string whole = std::exchange(pending_, {});
    std::string_view frame = bytes.substr(0, missing);
    if (!whole.empty()) {
      whole.append(frame);
      frame = whole;
    }
    bytes.remove_prefix(missing);
    if (!on_frame(frame.substr(kFrameHeader))) {
      break;
    }
  }
  return {};
}

}  // namespace muster::control
