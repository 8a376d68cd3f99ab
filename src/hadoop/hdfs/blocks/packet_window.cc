#include "hadoop/hdfs/blocks/packet_window.h"

namespace muster::hadoop::hdfs {

const Packet& PacketWindow::begin_sending() {
  sent_.push_back(std::move(queue_.front()));
  queue_.pop_front();
  sending_ = true;
  return sent_.back();
}

std::optional<Packet> PacketWindow::acknowledge(int64_t sequence) {
  const bool too_early = sent_.empty() || (sending_ && sent_.size() == 1);
  if (too_early || sent_.front().header.sequence != sequence) {
    return std::nullopt;
  }
  Packet packet = std::move(sent_.front());
  sent_.pop_front();
  acknowledged_ = packet.number;
  return packet;
}

void PacketWindow::acknowledge_all() {
  if (!sent_.empty()) {
    acknowledged_ = sent_.back().number;
    sent_.clear();
  }
}

void PacketWindow::rewind() {
  while (!sent_.empty()) {
    queue_.push_front(std::move(sent_.back()));
    sent_.pop_back();
  }
}

}  // namespace muster::hadoop::hdfs
