#pragma once

#include "base/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::hadoop::hdfs {

/// What precedes the checksums and the data of one packet of a block.
struct PacketHeader {
  int64_t offset_in_block = 0;
  int64_t sequence = 0;
  bool last_in_block = false;  ///< An empty packet that ends the block.
  uint32_t data_bytes = 0;
  bool sync = false;  ///< The DataNode must flush the data to its disk.

  bool operator==(const PacketHeader&) const = default;
};

/// The sequence number of a packet that only says "still here".
inline constexpr int64_t kHeartbeatSequence = -1;

/// A packet is: length (4 bytes) of itself, checksums and data; length (2 bytes) of the header; the
/// header; checksums; data.
inline constexpr size_t kPacketLengths = 6;
/// No packet of HDFS is longer (dfs.data.transfer.max.packet.size).
inline constexpr uint32_t kPacketBytesMax = 16U << 20;
inline constexpr size_t kPacketHeaderMax = 64;

/// The two lengths that open every packet, checked against each other's bounds.
struct PacketLengths {
  uint32_t body_bytes = 0;    ///< Checksums and data.
  uint16_t header_bytes = 0;  ///< Of the header that comes next.
};
/// Reads the first kPacketLengths bytes of a packet. Corrupt if they are out of bounds.
[[nodiscard]] Result<PacketLengths> decode_packet_lengths(std::string_view bytes);

/// Reads a header of exactly `bytes`. Unknown fields are skipped. Corrupt if a field is missing
/// or the data is longer than the body.
[[nodiscard]] Result<PacketHeader> decode_packet_header(std::string_view bytes,
                                                        uint32_t body_bytes);

/// Lengths and header of a packet, ready to be followed by `sums_bytes` of checksums and the data.
[[nodiscard]] std::string encode_packet_start(const PacketHeader& header, size_t sums_bytes);

}  // namespace muster::hadoop::hdfs
