#pragma once

#include "wire/stream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

/// Frames that carry a piece of a stream's data, byte for byte as protobuf encodes them, but in one
/// pass with one copy of the data: nearly everything that a busy stream sends has this form. All
/// other frames are left to the parser.
namespace muster::wire {

/// A message that has one field, of bytes.
[[nodiscard]] std::string encode_field(int field, std::string_view value);
/// Returns the value of that field if it is all there is in `bytes`; otherwise nothing.
[[nodiscard]] std::optional<std::string_view> only_field(std::string_view bytes, int field);

/// `carrier`: the number of the field in which the message around it has a stream's frame; 0: none
/// is around it. Nothing for a frame of another form.
[[nodiscard]] std::optional<std::string> encode_data_frame(const StreamFrame& frame, int carrier);
/// The same without the data, which come last.
[[nodiscard]] std::optional<std::string> data_frame_head(const StreamFrame& frame, int carrier);
[[nodiscard]] std::optional<StreamFrame> decode_data_frame(std::string_view bytes, int carrier);

/// The same of one of the frames that a StreamFrame is an alternative of.
template <class... Kinds>
[[nodiscard]] std::optional<std::string> encode_data_frame(const std::variant<Kinds...>& frame,
                                                           int carrier) {
  const auto* stream = std::get_if<StreamFrame>(&frame);
  return stream == nullptr ? std::nullopt : encode_data_frame(*stream, carrier);
}

/// The pieces of a frame that has a head of its own: data are moved, not copied.
[[nodiscard]] inline FrameParts parts_of(std::string head, StreamFrame& frame) {
  return {std::move(head), std::move(std::get<StreamData>(frame.kind).bytes)};
}
template <class... Kinds>
[[nodiscard]] FrameParts parts_of(std::variant<Kinds...> frame, int carrier) {
  if (auto* const stream = std::get_if<StreamFrame>(&frame)) {
    if (auto head = data_frame_head(*stream, carrier)) {
      return parts_of(*std::move(head), *stream);
    }
  }
  return {encode(frame), {}};
}

}  // namespace muster::wire
