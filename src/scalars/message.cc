#include "scalars/message.h"

namespace muster::scalars {

bool Message::next() {
  if (left_.empty() || damaged_) {
    return false;
  }
  uint64_t tag = 0;
  if (!take_varint(tag)) {
    return false;
  }
  field_ = tag >> 3U;
  kind_ = static_cast<Kind>(tag & 7U);
  switch (kind_) {
    case Kind::Varint:
      return take_varint(number_);
    case Kind::Fixed64:
      return take_bytes(sizeof(uint64_t));
    case Kind::Fixed32:
      return take_bytes(sizeof(uint32_t));
    case Kind::Bytes: {
      uint64_t size = 0;
      return take_varint(size) && take_bytes(size);
    }
  }
  damaged_ = true;  // Groups, which nobody has written for twenty years, and invalid kinds.
  return false;
}

bool Message::take_varint(uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) {
      return true;
    }
  }
  damaged_ = true;
  return false;
}

bool Message::take_bytes(uint64_t size) {
  if (size > left_.size()) {
    damaged_ = true;
    return false;
  }
  bytes_ = left_.substr(0, size);
  left_.remove_prefix(size);
  return true;
}

}  // namespace muster::scalars
