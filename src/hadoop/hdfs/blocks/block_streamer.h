#pragma once

#include "base/log.h"
#include "base/result.h"
#include "hadoop/hdfs/blocks/open_block.h"
#include "hadoop/hdfs/blocks/packet_window.h"
#include "hadoop/hdfs/blocks/pipeline.h"
#include "hadoop/hdfs/file_reader.h"
#include "hadoop/hdfs/names/name_node.h"
#include "hadoop/hdfs/names/node_troubles.h"
#include "hadoop/hdfs/writer_options.h"
#include "rt/async.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace muster::hadoop::hdfs {

/// Sends the packets of one file, block after block: gets blocks from the NameNode, opens their
/// pipelines, reads the acknowledgements, and when a DataNode fails continues with those that are
/// left (PipelineRecovery), from the first packet that was not acknowledged.
///
///     no block ──1──► streaming ──2──► closing ──3──► no block
///                      ▲     │             │
///                      └─4───┴──────5──────┘
///
/// 1 the first packet of a block: addBlock, pipeline (another block if that fails); 2 its last
/// packet, once all others are acknowledged; 3 acknowledged; 4 a node failed: new pipeline, unacked
/// packets again; 5 a node failed after the last packet: the others close the block.
class BlockStreamer {
 public:
  BlockStreamer(FileDeps deps, log::Logger log, OpenFile file, WriterOptions options);
  BlockStreamer(BlockStreamer&&) = delete;

  /// Queues a packet; waits while there are too many. The packets come from one PacketCutter.
  [[nodiscard]] rt::Async<Status> push(Packet packet);
  /// Waits until every DataNode has all packets up to `number`.
  [[nodiscard]] rt::Async<Status> acknowledged(uint64_t number);

  /// Returns the block being written, or else the one before, with its acknowledged size.
  [[nodiscard]] std::optional<Block> last_block() const {
    return block_.has_value() ? std::optional(block_->block) : std::nullopt;
  }
  /// Records that what was written so far must stay visible (for Replacing::Default).
  void set_flushed() { flushed_ = true; }

 private:
  enum class State : uint8_t {
    NoBlock,
    Streaming,  ///< block_ is open.
    Closing,    ///< Its last packet was sent.
  };

  [[nodiscard]] rt::Async<Status> run();
  [[nodiscard]] rt::Async<Status> step();
  [[nodiscard]] rt::Async<Status> wait_for_change();
  [[nodiscard]] rt::Async<Status> changed();
  [[nodiscard]] rt::Async<Status> open_block();
  [[nodiscard]] rt::Async<Result<LocatedBlock>> add_block();
  [[nodiscard]] rt::Async<> send_next();
  [[nodiscard]] rt::Async<Status> read_acks();
  [[nodiscard]] bool take_ack(const PipelineAck& ack);
  void take_failure(const PipelineAck& ack);
  [[nodiscard]] rt::Async<Status> recover();
  void start_acks(std::unique_ptr<Pipeline> pipeline);
  void end_block();
  void break_at(PipelineFailure failure);

  FileDeps deps_;
  log::Logger log_;
  OpenFile file_;
  WriterOptions options_;
  rt::Event change_;  ///< Pulsed whenever something below has changed.

  PacketWindow window_;
  std::optional<Error> failure_;  ///< For good.
  State state_ = State::NoBlock;
  std::optional<OpenBlock> block_;  ///< This block or, between blocks, the last.
  bool flushed_ = false;
  NodeTroubles troubles_;
  std::optional<PipelineFailure> broken_;

  std::unique_ptr<Pipeline> pipeline_;
  rt::Running acks_;     ///< Reads from pipeline_.
  rt::Running running_;  ///< Uses all of the above.
};

}  // namespace muster::hadoop::hdfs
