#pragma once

#include "base/result.h"
#include "hadoop/hdfs/blocks/checksum.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "hadoop/hdfs/blocks/transfer_op.h"
#include "rt/async.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace muster::hadoop::hdfs {

/// Reads one range of one block from one DataNode and verifies its checksums.
class BlockReader {
 public:
  /// Requests `op`'s range, which must not be empty, over a connection on which nothing is under
  /// way. Unauthenticated if the node does not accept the block token; Unavailable if the
  /// connection breaks before the node has answered; other errors are reported by the node.
  [[nodiscard]] static rt::Async<Result<std::unique_ptr<BlockReader>>> open(
      std::unique_ptr<DataStream> stream, ReadOp op);

  /// Returns the next bytes of the range, without a copy: the view is valid until the next call.
  /// Empty at the end of the range. After an error the reader is unusable.
  [[nodiscard]] rt::Async<Result<std::string_view>> next();

  /// True if the last error was a damaged replica: its bytes and checksums disagree.
  [[nodiscard]] bool found_damage() const { return found_damage_; }

  /// Gives the connection back for another operation; nullptr unless next() has reported the end of
  /// the range and the node is ready for another. The reader is then unusable.
  [[nodiscard]] std::unique_ptr<DataStream> take_stream();

 private:
  BlockReader(std::unique_ptr<DataStream> stream, const ReadOp& op, const OpResponse& response);
  [[nodiscard]] rt::Async<Result<std::string_view>> next_packet();
  [[nodiscard]] rt::Async<> finish();
  [[nodiscard]] Error strange(std::string_view what) const;

  std::unique_ptr<DataStream> stream_;
  Block block_;
  Checksum checksum_;
  uint64_t packet_at_;  ///< Where the next packet must begin.
  uint64_t at_;         ///< The next byte that the caller gets.
  uint64_t end_;
  bool finished_ = false;
  bool reusable_ = false;
  bool found_damage_ = false;
};

}  // namespace muster::hadoop::hdfs
