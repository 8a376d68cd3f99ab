#include "wire/data_frame.h"

#include "muster/control/v1/stream.pb.h"

#include <cstddef>

namespace muster::wire {
namespace {

// How protobuf writes a field: its number and its type, then its value.
constexpr int kTypeBits = 3;
constexpr uint8_t kEightBytes = 1;
constexpr uint8_t kLengthAndBytes = 2;
constexpr size_t kIdBytes = sizeof(uint64_t);
/// Room for a frame's heads: three fields of bytes, and the id.
constexpr size_t kHeadsMax = 32;

constexpr char head_byte(int field, uint8_t type) {
  return static_cast<char>(static_cast<uint8_t>(field) << kTypeBits | type);
}

/// A piece of text from which values are taken one by one.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] std::string_view left() const { return left_; }
  bool skip(char byte) {
    const bool found = !left_.empty() && left_.front() == byte;
    left_.remove_prefix(found ? 1 : 0);
    return found;
  }
  /// Seven bits a byte, the lowest first; a set eighth means that more follow.
  std::optional<size_t> length() {
    size_t value = 0;
    for (int shift = 0; shift < 28 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      value |= static_cast<size_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) {
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<uint64_t> eight_bytes() {
    if (left_.size() < kIdBytes) {
      return std::nullopt;
    }
    uint64_t value = 0;
    for (size_t at = kIdBytes; at > 0; --at) {
      value = value << 8 | static_cast<uint8_t>(left_[at - 1]);
    }
    left_.remove_prefix(kIdBytes);
    return value;
  }

 private:
  std::string_view left_;
};

size_t length_size(size_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) {
    ++size;
  }
  return size;
}

size_t field_size(size_t value_bytes) { return 1 + length_size(value_bytes) + value_bytes; }

void append_field_head(std::string& bytes, int field, size_t size_bytes) {
  bytes += head_byte(field, kLengthAndBytes);
  for (; size_bytes >= 0x80; size_bytes >>= 7) {
    bytes += static_cast<char>(static_cast<uint8_t>(size_bytes) | 0x80);
  }
  bytes += static_cast<char>(size_bytes);
}

}  // namespace

std::string encode_field(int field, std::string_view value) {
  std::string bytes;
  bytes.reserve(kHeadsMax + value.size());
  append_field_head(bytes, field, value.size());
  bytes += value;
  return bytes;
}

std::optional<std::string_view> only_field(std::string_view bytes, int field) {
  Cursor cursor(bytes);
  if (!cursor.skip(head_byte(field, kLengthAndBytes))) {
    return std::nullopt;
  }
  const auto length = cursor.length();
  return length == cursor.left().size() ? std::optional(cursor.left()) : std::nullopt;
}

std::optional<std::string> data_frame_head(const StreamFrame& frame, int carrier) {
  const auto* const data = std::get_if<StreamData>(&frame.kind);
  // Fields with default values are left out, which protobuf's own code handles best.
  if (data == nullptr || data->bytes.empty() || frame.id == 0) {
    return std::nullopt;
  }
  const size_t piece = field_size(data->bytes.size());
  std::string bytes;
  bytes.reserve(kHeadsMax);
  if (carrier != 0) {
    append_field_head(bytes, carrier, 1 + kIdBytes + field_size(piece));
  }
  bytes += head_byte(control::v1::StreamFrame::kIdFieldNumber, kEightBytes);
  for (size_t at = 0; at < kIdBytes; ++at) {
    bytes += static_cast<char>(frame.id >> (8 * at) & 0xFF);
  }
  append_field_head(bytes, control::v1::StreamFrame::kDataFieldNumber, piece);
  append_field_head(bytes, control::v1::StreamData::kDataFieldNumber, data->bytes.size());
  return bytes;
}

std::optional<std::string> encode_data_frame(const StreamFrame& frame, int carrier) {
  std::optional<std::string> bytes = data_frame_head(frame, carrier);
  if (bytes) {
    *bytes += std::get<StreamData>(frame.kind).bytes;
  }
  return bytes;
}

std::optional<StreamFrame> decode_data_frame(std::string_view bytes, int carrier) {
  const std::optional<std::string_view> frame =
      carrier == 0 ? std::optional(bytes) : only_field(bytes, carrier);
  if (!frame) {
    return std::nullopt;
  }
  Cursor cursor(*frame);
  if (!cursor.skip(head_byte(control::v1::StreamFrame::kIdFieldNumber, kEightBytes))) {
    return std::nullopt;
  }
  const std::optional<uint64_t> id = cursor.eight_bytes();
  const auto piece = only_field(cursor.left(), control::v1::StreamFrame::kDataFieldNumber);
  if (!id || !piece) {
    return std::nullopt;
  }
  const auto data = only_field(*piece, control::v1::StreamData::kDataFieldNumber);
  if (!data || data->size() > kStreamDataMax) {
    return std::nullopt;
  }
  return StreamFrame{*id, StreamData{std::string(*data)}};
}

}  // namespace muster::wire
