#include "control/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace muster::control {
namespace {

/// Of a frame's announced size: more is reserved only as it arrives.
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
  // One iteration for each frame, whole or not, that begins or continues in `bytes`.
  while (!bytes.empty()) {
    if (pending_bytes_ < kFrameHeader && (pending_bytes_ > 0 || bytes.size() < kFrameHeader)) {
      const size_t part = std::min(kFrameHeader - pending_bytes_, bytes.size());
      keep(bytes.substr(0, part));
      bytes.remove_prefix(part);
      if (pending_bytes_ < kFrameHeader) {
        break;
      }
    }
    const size_t length = length_of(pending_bytes_ == 0 ? bytes : pending());
    if (length > frame_max_) {
      return Error{
          Errc::Corrupt, Blame::Muster,
          fmt::format("received a frame of {} bytes; at most {} are allowed", length, frame_max_)};
    }
    const size_t missing = kFrameHeader + length - pending_bytes_;
    if (bytes.size() < missing) {
      make_room(std::min(kFrameHeader + length, kReserveMax));
      keep(bytes);
      break;
    }
    // The frame is complete: in place, or with its beginning in `pending_`.
    std::string_view frame = bytes.substr(0, missing);
    if (pending_bytes_ > 0) {
      keep(frame);
      frame = pending();
    }
    const std::unique_ptr<char[]> whole = std::move(pending_);
    pending_bytes_ = pending_room_ = 0;
    bytes.remove_prefix(missing);
    if (!on_frame(frame.substr(kFrameHeader))) {
      break;
    }
  }
  return {};
}

std::span<char> FrameReader::room() {
  if (pending_bytes_ < kFrameHeader) {
    return {};
  }
  if (pending_bytes_ == pending_room_) {
    make_room(std::min(whole_bytes(), 2 * pending_room_));
  }
  return {pending_.get() + pending_bytes_, std::min(pending_room_, whole_bytes()) - pending_bytes_};
}

void FrameReader::filled(size_t bytes, const OnFrame& on_frame) {
  pending_bytes_ += bytes;
  if (pending_bytes_ == whole_bytes()) {
    const std::unique_ptr<char[]> whole = std::move(pending_);
    const std::string_view frame(whole.get(), std::exchange(pending_bytes_, 0));
    pending_room_ = 0;
    on_frame(frame.substr(kFrameHeader));
  }
}

size_t FrameReader::whole_bytes() const { return kFrameHeader + length_of(pending()); }

void FrameReader::keep(std::string_view bytes) {
  const size_t needed = pending_bytes_ + bytes.size();
  if (needed > pending_room_) {
    make_room(std::max(needed, 2 * pending_room_));
  }
  std::ranges::copy(bytes, pending_.get() + pending_bytes_);
  pending_bytes_ = needed;
}

void FrameReader::make_room(size_t bytes) {
  if (bytes > pending_room_) {
    auto larger = std::make_unique_for_overwrite<char[]>(bytes);
    std::ranges::copy(pending(), larger.get());
    pending_ = std::move(larger);
    pending_room_ = bytes;
  }
}

}  // namespace muster::control
