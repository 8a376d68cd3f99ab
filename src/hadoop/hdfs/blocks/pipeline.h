#pragma once

#include "base/result.h"
#include "hadoop/hdfs/blocks/data_nodes.h"
#include "hadoop/hdfs/blocks/packet_cutter.h"
#include "hadoop/hdfs/blocks/transfer_op.h"
#include "rt/async.h"

#include <cstddef>
#include <expected>
#include <memory>

namespace muster::hadoop::hdfs {

/// Why a pipeline broke, and which of its nodes is to blame.
struct PipelineFailure {
  size_t bad_node = 0;      ///< Counted from the first.
  bool restarting = false;  ///< That node says that it is only restarting.
  bool bad_token = false;   ///< No node is to blame: the block token has expired.
  Error error;
};

/// The chain of DataNodes through which one block is written, in one generation: a connection to
/// the first, which passes everything on. One coroutine sends while another reads acknowledgements.
class Pipeline {
 public:
  using Opened = std::expected<std::unique_ptr<Pipeline>, PipelineFailure>;

  /// Connects the chain.
  [[nodiscard]] static rt::Async<Opened> open(DataNodes* data_nodes, WriteOp op);

  /// Sends a packet, which stays where it is until this has returned.
  [[nodiscard]] rt::Async<Status> send(const Packet* packet);
  /// Keeps an idle pipeline from being abandoned by its nodes.
  [[nodiscard]] rt::Async<Status> send_heartbeat();
  /// Returns the next acknowledgement, including those of heartbeats.
  [[nodiscard]] rt::Async<Result<PipelineAck>> next_ack();
  /// Makes a send() that waits for a broken chain fail soon.
  void interrupt() { stream_->interrupt(); }

 private:
  explicit Pipeline(std::unique_ptr<DataStream> stream) : stream_(std::move(stream)) {}

  std::unique_ptr<DataStream> stream_;
};

}  // namespace muster::hadoop::hdfs
