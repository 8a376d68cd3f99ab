#pragma once

#include "hadoop/hdfs/blocks/packet_cutter.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace muster::hadoop::hdfs {

/// The packets of one file between its writer and the DataNodes: those still to be sent, preceded
/// by those that were sent but not acknowledged. A value without waits.
class PacketWindow {
 public:
  void push(Packet packet) { queue_.push_back(std::move(packet)); }
  /// Of both kinds.
  [[nodiscard]] size_t size() const { return queue_.size() + sent_.size(); }
  /// The next packet to be sent; nullptr if there is none.
  [[nodiscard]] const Packet* next() const { return queue_.empty() ? nullptr : &queue_.front(); }
  [[nodiscard]] bool all_acknowledged() const { return sent_.empty(); }
  /// Number of the last packet that all nodes have.
  [[nodiscard]] uint64_t acknowledged() const { return acknowledged_; }

  /// Marks the next packet as sent. It stays where it is until end_sending().
  [[nodiscard]] const Packet& begin_sending();
  void end_sending() { sending_ = false; }
  /// All nodes have the packet with this sequence number: takes it out. Returns nothing, and
  /// changes nothing, if it is not the oldest one waited for.
  [[nodiscard]] std::optional<Packet> acknowledge(int64_t sequence);
  /// The nodes have all that was sent.
  void acknowledge_all();
  /// Everything not acknowledged is sent again, in order.
  void rewind();

 private:
  std::deque<Packet> queue_;
  std::deque<Packet> sent_;
  bool sending_ = false;  ///< The last of sent_ is on its way.
  uint64_t acknowledged_ = 0;
};

}  // namespace muster::hadoop::hdfs
