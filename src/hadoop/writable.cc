#include "hadoop/writable.h"

#include <fmt/format.h>

#include <limits>

namespace muster::hadoop {
namespace {

Error corrupt_at(size_t offset, std::string_view what) {
  return {Errc::Corrupt, Blame::User, fmt::format("damaged at byte {}: {}", offset, what)};
}

}  // namespace

Result<std::string_view> WritableReader::take(int64_t length, size_t start) {
  if (length < 0 || static_cast<uint64_t>(length) > bytes_.size() - at_) {
    const Error error = length < 0
                            ? corrupt_at(start, fmt::format("the length {} is negative", length))
                            : corrupt_at(start, fmt::format("{} bytes announced, {} left", length,
                                                            bytes_.size() - at_));
    at_ = start;
    return error;
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<size_t>(length));
  at_ += taken.size();
  return taken;
}

Result<uint8_t> WritableReader::byte() {
  MUSTER_TRY(const std::string_view one, take(1, at_));
  return static_cast<uint8_t>(one[0]);
}

Result<int32_t> WritableReader::int32() {
  MUSTER_TRY(const std::string_view four, take(4, at_));
  uint32_t value = 0;
  for (const char c : four) {
    value = value << 8 | static_cast<uint8_t>(c);
  }
  return static_cast<int32_t>(value);
}

Result<int64_t> WritableReader::vlong() {
  const size_t start = at_;
  MUSTER_TRY(const uint8_t first, byte());
  const auto lead = static_cast<int8_t>(first);
  if (lead >= -112) {
    return lead;
  }
  const bool negative = lead < -120;
  MUSTER_TRY(const std::string_view rest, take(negative ? -120 - lead : -112 - lead, start));
  uint64_t value = 0;
  for (const char c : rest) {
    value = value << 8 | static_cast<uint8_t>(c);
  }
  return static_cast<int64_t>(negative ? ~value : value);
}

Result<int32_t> WritableReader::vint() {
  const size_t start = at_;
  MUSTER_TRY(const int64_t value, vlong());
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    at_ = start;
    return corrupt_at(start, fmt::format("{} does not fit into 32 bits", value));
  }
  return static_cast<int32_t>(value);
}

Result<std::string_view> WritableReader::bytes() {
  const size_t start = at_;
  MUSTER_TRY(const int32_t length, vint());
  return take(length, start);
}

Result<std::string_view> WritableReader::int32_bytes() {
  const size_t start = at_;
  MUSTER_TRY(const int32_t length, int32());
  return take(length, start);
}

Result<std::string_view> WritableReader::delimited() {
  const size_t start = at_;
  uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (shift > 28) {
      at_ = start;
      return corrupt_at(start, "a length is longer than five bytes");
    }
    const Result<uint8_t> next = byte();
    if (!next) {
      at_ = start;
      return next.error();
    }
    length |= static_cast<uint64_t>(*next & 0x7FU) << shift;
    if ((*next & 0x80U) == 0) {
      return take(static_cast<int64_t>(length), start);
    }
  }
}

Result<uint32_t> WritableReader::count(size_t bytes_each) {
  const size_t start = at_;
  MUSTER_TRY(const int32_t number, vint());
  if (number < 0 || static_cast<uint64_t>(number) * bytes_each > bytes_.size() - at_) {
    at_ = start;
    return corrupt_at(
        start, fmt::format("entries announced: {}, bytes left: {}", number, bytes_.size() - start));
  }
  return static_cast<uint32_t>(number);
}

void WritableWriter::int32(int32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    byte(static_cast<uint8_t>(static_cast<uint32_t>(value) >> shift));
  }
}

void WritableWriter::vlong(int64_t value) {
  if (value >= -112 && value <= 127) {
    byte(static_cast<uint8_t>(value));
    return;
  }
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  int count = 8;
  while (count > 1 && magnitude >> (8 * (count - 1)) == 0) {
    --count;
  }
  byte(static_cast<uint8_t>((value < 0 ? -120 : -112) - count));
  for (int i = count - 1; i >= 0; --i) {
    byte(static_cast<uint8_t>(magnitude >> (8 * i)));
  }
}

void WritableWriter::bytes(std::string_view value) {
  vlong(static_cast<int64_t>(value.size()));
  raw(value);
}

void WritableWriter::delimited(std::string_view value) {
  size_t length = value.size();
  while (length >= 0x80) {
    byte(static_cast<uint8_t>(length | 0x80U));
    length >>= 7;
  }
  byte(static_cast<uint8_t>(length));
  raw(value);
}

}  // namespace muster::hadoop
