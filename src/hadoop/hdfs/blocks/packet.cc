#include "hadoop/hdfs/blocks/packet.h"

#include "hadoop/hdfs/blocks/varint.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {
namespace {

// Field numbers and wire types of the header message: sfixed64, sfixed64, bool, sfixed32, bool.
constexpr uint8_t kOffsetTag = (1 << 3) | 1;
constexpr uint8_t kSequenceTag = (2 << 3) | 1;
constexpr uint8_t kLastTag = 3 << 3;
constexpr uint8_t kDataBytesTag = (4 << 3) | 5;
constexpr uint8_t kSyncTag = 5 << 3;
constexpr uint8_t kRequired = 0b1111;

void put_little_endian(std::string& to, uint64_t value, int bytes) {
  for (int at = 0; at < bytes; ++at) {
    to += static_cast<char>(value >> (8 * at));
  }
}

uint64_t take_fixed(std::string_view& bytes, size_t count) {
  uint64_t value = 0;
  for (size_t at = 0; at < count; ++at) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at])) << (8 * at);
  }
  bytes.remove_prefix(count);
  return value;
}

/// Skips an unknown field; returns false if it is malformed.
bool skip_field(std::string_view& bytes, uint64_t tag) {
  size_t length = 0;
  switch (tag & 7) {
    case 0:
      return take_varint(bytes).has_value();
    case 1:
      length = 8;
      break;
    case 2: {
      const auto told = take_varint(bytes);
      if (!told) {
        return false;
      }
      length = *told;
      break;
    }
    case 5:
      length = 4;
      break;
    default:
      return false;
  }
  if (length > bytes.size()) {
    return false;
  }
  bytes.remove_prefix(length);
  return true;
}

/// Takes one field; returns the bit of a required field, 0 for any other, nullopt if it is
/// malformed.
std::optional<uint8_t> take_field(std::string_view& bytes, PacketHeader& header) {
  const auto tag = take_varint(bytes);
  if (!tag) {
    return std::nullopt;
  }
  if ((*tag == kOffsetTag || *tag == kSequenceTag) && bytes.size() >= 8) {
    const auto value = static_cast<int64_t>(take_fixed(bytes, 8));
    (*tag == kOffsetTag ? header.offset_in_block : header.sequence) = value;
    return *tag == kOffsetTag ? 0b0001 : 0b0010;
  }
  if (*tag == kDataBytesTag && bytes.size() >= 4) {
    header.data_bytes = static_cast<uint32_t>(take_fixed(bytes, 4));
    return 0b0100;
  }
  if (*tag == kLastTag || *tag == kSyncTag) {
    const auto value = take_varint(bytes);
    if (!value) {
      return std::nullopt;
    }
    (*tag == kLastTag ? header.last_in_block : header.sync) = *value != 0;
    return *tag == kLastTag ? 0b1000 : 0;
  }
  return skip_field(bytes, *tag) ? std::optional<uint8_t>(0) : std::nullopt;
}

Error damaged(std::string_view what) {
  return cluster_error(
      fmt::format("a DataNode sent a malformed packet: {}; it speaks another protocol or the "
                  "stream is encrypted",
                  what),
      Errc::Corrupt);
}

}  // namespace

Result<PacketLengths> decode_packet_lengths(std::string_view bytes) {
  if (bytes.size() < kPacketLengths) {
    return damaged("it ends inside its lengths");
  }
  const auto at = [&](size_t index) {
    return static_cast<uint32_t>(static_cast<unsigned char>(bytes[index]));
  };
  const uint32_t length = at(0) << 24 | at(1) << 16 | at(2) << 8 | at(3);
  const uint32_t header = at(4) << 8 | at(5);
  if (length < 4 || length > kPacketBytesMax) {
    return damaged(fmt::format("its length is {}", length));
  }
  if (header == 0 || header > kPacketHeaderMax) {
    return damaged(fmt::format("its header has {} bytes", header));
  }
  return PacketLengths{length - 4, static_cast<uint16_t>(header)};
}

Result<PacketHeader> decode_packet_header(std::string_view bytes, uint32_t body_bytes) {
  PacketHeader header;
  uint8_t seen = 0;
  while (!bytes.empty()) {
    const auto field = take_field(bytes, header);
    if (!field) {
      return damaged("its header is malformed");
    }
    seen |= *field;
  }
  if (seen != kRequired) {
    return damaged("its header lacks a field");
  }
  if (header.data_bytes > body_bytes) {
    return damaged(fmt::format("{} bytes of data in a body of {}", header.data_bytes, body_bytes));
  }
  return header;
}

std::string encode_packet_start(const PacketHeader& header, size_t sums_bytes) {
  std::string body;
  body += static_cast<char>(kOffsetTag);
  put_little_endian(body, static_cast<uint64_t>(header.offset_in_block), 8);
  body += static_cast<char>(kSequenceTag);
  put_little_endian(body, static_cast<uint64_t>(header.sequence), 8);
  body += static_cast<char>(kLastTag);
  body += static_cast<char>(header.last_in_block ? 1 : 0);
  body += static_cast<char>(kDataBytesTag);
  put_little_endian(body, header.data_bytes, 4);
  if (header.sync) {
    body += static_cast<char>(kSyncTag);
    body += '\1';
  }
  const auto length = static_cast<uint32_t>(4 + sums_bytes + header.data_bytes);
  std::string start;
  for (int shift = 24; shift >= 0; shift -= 8) {
    start += static_cast<char>(length >> shift);
  }
  start += static_cast<char>(body.size() >> 8);
  start += static_cast<char>(body.size());
  return start + body;
}

}  // namespace muster::hadoop::hdfs
