#pragma once

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/file_reader.h"
#include "hadoop/hdfs/packet_cutter.h"
#include "hadoop/hdfs/pipeline.h"
#include "rt/async.h"
#include "rt/running.h"
#include "rt/wait.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::hadoop::hdfs {

/// When a DataNode that left a pipeline is replaced.
enum class Replacing : uint8_t {
  Never,
  /// With three replicas or more, when at most half of them are left or data was flushed.
  Default,
  Always,
};

struct WriterOptions {
  uint32_t replication = 3;
  uint64_t block_bytes = 128U << 20;
  uint32_t packet_bytes = 64U << 10;
  Checksum checksum;
  size_t packets_max = 80;  ///< In memory: to be sent, or sent and not acknowledged.
  int block_tries_max = 4;  ///< To open a pipeline for a new block.
  int recoveries_max = 5;   ///< Of one pipeline without a packet acknowledged in between.
  Duration restart_wait = std::chrono::seconds(30);  ///< For a DataNode that restarts.
  Duration heartbeat = std::chrono::seconds(30);     ///< On an idle pipeline.
  Replacing replacing = Replacing::Default;
  bool replace_best_effort = false;                 ///< Go on with fewer when there is no other.
  Duration exclude_for = std::chrono::minutes(10);  ///< A DataNode that failed gets no new block.
};

/// Sends the packets of one file, block after block: gets blocks from the NameNode, opens their
/// pipelines, reads the acknowledgements, and when a DataNode fails goes on with those that are
/// left, in a new generation of the block, from the first packet that was not acknowledged.
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

  /// The block that is being written, or else the one before, with its acknowledged size.
  [[nodiscard]] const std::optional<Block>& last_block() const { return block_; }
  /// Tells that what was written so far must stay visible (for Replacing::Default).
  void set_flushed() { flushed_ = true; }

 private:
  [[nodiscard]] rt::Async<Status> run();
  [[nodiscard]] rt::Async<Status> step();
  [[nodiscard]] rt::Async<Status> wait_for_change();
  [[nodiscard]] rt::Async<Status> changed();
  [[nodiscard]] rt::Async<Status> open_block();
  [[nodiscard]] rt::Async<> send_next();
  [[nodiscard]] rt::Async<Status> read_acks();
  [[nodiscard]] bool take_ack(const PipelineAck& ack);
  void start_acks(std::unique_ptr<Pipeline> pipeline);
  void end_block();
  void break_at(size_t node, Error error);
  [[nodiscard]] std::string tried() const;
  [[nodiscard]] Error give_up() const;
  void exclude(const Datanode& node);
  [[nodiscard]] std::vector<Datanode> excluded();

  [[nodiscard]] rt::Async<Status> recover();
  [[nodiscard]] rt::Async<Status> drop_bad_node();
  [[nodiscard]] bool is_restarting(const PipelineFailure& failure);
  [[nodiscard]] rt::Async<Status> replace_node();
  [[nodiscard]] bool wants_replacement() const;
  [[nodiscard]] rt::Async<Status> copy_to(LocatedBlock located, size_t source, size_t target);
  [[nodiscard]] rt::Async<Status> reopen();
  [[nodiscard]] WriteOp write_op(WriteStage stage, uint64_t generation) const;

  /// A DataNode that failed, and until when it is left alone.
  struct Excluded {
    Datanode node;
    HostTime until;
  };

  FileDeps deps_;
  log::Logger log_;
  OpenFile file_;
  WriterOptions options_;
  rt::Event change_;  ///< Pulsed whenever something below has changed.

  std::deque<Packet> queue_;      ///< To be sent.
  std::deque<Packet> sent_;       ///< Not acknowledged.
  uint64_t acknowledged_ = 0;     ///< Number of the last packet that all nodes have.
  std::optional<Error> failure_;  ///< For good.

  std::optional<Block> block_;  ///< This block or, between blocks, the last.
  bool streaming_ = false;      ///< block_ is open.
  bool closing_ = false;        ///< Its last packet was sent.
  bool sending_ = false;        ///< The last of sent_ is on its way.
  Token token_;
  std::vector<Replica> replicas_;  ///< Of the pipeline.
  uint64_t sent_bytes_ = 0;        ///< Of the block.
  std::vector<Excluded> excluded_;
  std::vector<std::string> errors_;  ///< Of DataNodes, since the last acknowledgement.
  int recoveries_ = 0;
  bool flushed_ = false;
  std::optional<PipelineFailure> broken_;
  std::string restarting_id_;  ///< The DataNode that said it restarts,
  HostTime restart_until_{};   ///< and how long it is waited for.

  std::unique_ptr<Pipeline> pipeline_;
  rt::Running acks_;     ///< Reads from pipeline_.
  rt::Running running_;  ///< Uses all of the above.
};

}  // namespace muster::hadoop::hdfs
