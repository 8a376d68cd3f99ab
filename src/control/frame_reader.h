#pragma once

#include "base/result.h"
#include "control/transport.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace muster::control {

/// A frame on the wire is its length (4 bytes, little-endian) and its bytes.
inline constexpr size_t kFrameHeader = 4;

/// Returns the four bytes that precede a frame.
[[nodiscard]] std::string frame_header(size_t frame_bytes);

/// Cuts a stream of bytes into frames. Keeps only an incomplete frame; a frame that is whole in
/// what is fed is not copied.
class FrameReader {
 public:
  /// `frame_max`: the size of the largest frame, and thus of what may be kept.
  explicit FrameReader(size_t frame_max = kFrameMax) : frame_max_(frame_max) {}

  /// Receives a whole frame, valid during the call; returns false to stop: the rest of what was fed
  /// is dropped.
  using OnFrame = std::function<bool(std::string_view frame)>;

  /// Takes the next bytes of the stream. Corrupt if a frame is larger than the maximum; feed
  /// nothing afterwards.
  [[nodiscard]] Status feed(std::string_view bytes, const OnFrame& on_frame);
  /// Returns where the next bytes of an incomplete frame belong, so that what is read there need
  /// not be copied. At most the rest of that frame; empty if there is none. Valid until the next
  /// call.
  [[nodiscard]] std::span<char> room();
  /// The first `bytes` of room() have been filled; like feed() for them.
  void filled(size_t bytes, const OnFrame& on_frame);
  /// Returns how many bytes of an incomplete frame are kept.
  [[nodiscard]] size_t pending_bytes() const { return pending_bytes_; }

 private:
  [[nodiscard]] std::string_view pending() const { return {pending_.get(), pending_bytes_}; }
  /// Returns the full size of the incomplete frame, including its header, which must have arrived.
  [[nodiscard]] size_t whole_bytes() const;
  void keep(std::string_view bytes);
  void make_room(size_t bytes);

  size_t frame_max_;
  std::unique_ptr<char[]> pending_;
  size_t pending_bytes_ = 0;
  size_t pending_room_ = 0;  ///< The size of what `pending_` points to.
};

}  // namespace muster::control
