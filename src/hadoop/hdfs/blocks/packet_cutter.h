#pragma once

#include "hadoop/hdfs/blocks/checksum.h"
#include "hadoop/hdfs/blocks/packet.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// One packet of a block, ready to be sent (again).
struct Packet {
  PacketHeader header;
  std::vector<char> sums;
  std::string data;
  uint64_t number = 0;  ///< Counts all packets of the file, from 1.

  /// Where its data ends in the block.
  [[nodiscard]] uint64_t end_in_block() const {
    return static_cast<uint64_t>(header.offset_in_block) + header.data_bytes;
  }
};

/// Cuts the bytes of a file into packets: each begins with a chunk, none crosses a block's end, and
/// each block ends with an empty one. A packet that was cut in mid-chunk is followed by one that
/// begins with that chunk again, since a chunk has one checksum.
class PacketCutter {
 public:
  struct Sizes {
    uint64_t block_bytes = 0;   ///< A multiple of a chunk.
    uint32_t packet_bytes = 0;  ///< With header and checksums, about.
  };
  PacketCutter(Checksum checksum, Sizes sizes);

  /// Takes bytes from the front of `bytes` until the packet is full or they are all taken.
  void add(std::string_view& bytes);
  /// True if the packet must be cut before more is added.
  [[nodiscard]] bool full() const { return fresh_bytes_ > 0 && data_.size() == capacity(); }
  /// True if there are bytes that were never cut.
  [[nodiscard]] bool has_fresh() const { return fresh_bytes_ > 0; }
  /// Makes a packet of what was added (has_fresh()).
  [[nodiscard]] Packet cut();
  /// True if the block is full and cut: end_block() must come before more is added.
  [[nodiscard]] bool block_full() const { return block_bytes_ == sizes_.block_bytes; }
  /// True if this block has bytes.
  [[nodiscard]] bool in_block() const { return block_bytes_ > 0; }
  /// Makes the empty packet that ends the block (all is cut), and begins the next block.
  [[nodiscard]] Packet end_block();

  /// Data bytes of a full packet.
  [[nodiscard]] size_t packet_data_max() const { return packet_data_max_; }

 private:
  [[nodiscard]] size_t capacity() const;

  Checksum checksum_;
  Sizes sizes_;
  size_t packet_data_max_;
  std::string data_;           ///< The packet's, from a chunk's start.
  size_t fresh_bytes_ = 0;     ///< Of these, how many were never in a packet.
  uint64_t packet_start_ = 0;  ///< Where data_ begins in the block.
  uint64_t block_bytes_ = 0;   ///< Cut so far.
  int64_t sequence_ = 0;
  uint64_t number_ = 0;
};

}  // namespace muster::hadoop::hdfs
