#include "hadoop/hdfs/blocks/packet_cutter.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// The most that a packet's lengths and header take, as HDFS counts them.
constexpr size_t kStartBytes = 33;

}  // namespace

PacketCutter::PacketCutter(Checksum checksum, Sizes sizes)
    : checksum_(checksum), sizes_(sizes), packet_data_max_(checksum.chunk_bytes) {
  MUSTER_CHECK(sizes.block_bytes > 0 && sizes.block_bytes % checksum.chunk_bytes == 0,
               "a block is so many chunks");
  const size_t chunk_with_sum = checksum.chunk_bytes + checksum.sum_bytes();
  if (sizes.packet_bytes > kStartBytes + chunk_with_sum) {
    packet_data_max_ = (sizes.packet_bytes - kStartBytes) / chunk_with_sum * checksum.chunk_bytes;
  }
}

size_t PacketCutter::capacity() const {
  return std::min<uint64_t>(packet_data_max_, sizes_.block_bytes - packet_start_);
}

void PacketCutter::add(std::string_view& bytes) {
  const size_t count = std::min(bytes.size(), capacity() - data_.size());
  if (data_.capacity() < packet_data_max_ && count > checksum_.chunk_bytes) {
    data_.reserve(packet_data_max_);
  }
  data_.append(bytes.substr(0, count));
  fresh_bytes_ += count;
  bytes.remove_prefix(count);
}

Packet PacketCutter::cut() {
  Packet packet;
  packet.number = ++number_;
  packet.header = {.offset_in_block = static_cast<int64_t>(packet_start_),
                   .sequence = sequence_++,
                   .last_in_block = false,
                   .data_bytes = static_cast<uint32_t>(data_.size()),
                   .sync = false};
  packet.sums.resize(checksum_.sums_bytes(data_.size()));
  sum_chunks(checksum_, data_, packet.sums);
  block_bytes_ += std::exchange(fresh_bytes_, 0);
  const size_t partial = data_.size() % checksum_.chunk_bytes;
  packet_start_ += data_.size() - partial;
  std::string rest = data_.substr(data_.size() - partial);
  packet.data = std::exchange(data_, std::move(rest));
  return packet;
}

Packet PacketCutter::end_block() {
  Packet packet;
  packet.number = ++number_;
  packet.header = {.offset_in_block = static_cast<int64_t>(block_bytes_),
                   .sequence = sequence_,
                   .last_in_block = true,
                   .data_bytes = 0,
                   .sync = false};
  data_.clear();
  packet_start_ = 0;
  block_bytes_ = 0;
  sequence_ = 0;
  return packet;
}

}  // namespace muster::hadoop::hdfs
