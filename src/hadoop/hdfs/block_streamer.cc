#include "hadoop/hdfs/block_streamer.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {

BlockStreamer::BlockStreamer(FileDeps deps, log::Logger log, OpenFile file, WriterOptions options)
    : deps_(deps), log_(log), file_(std::move(file)), options_(options), change_(deps.loop) {}

rt::Async<Status> BlockStreamer::push(Packet packet) {
  while (!failure_.has_value() && queue_.size() + sent_.size() >= options_.packets_max) {
    co_await change_.wait();
  }
  if (failure_.has_value()) {
    co_return *failure_;
  }
  queue_.push_back(std::move(packet));
  if (!running_.active()) {
    running_ = rt::start(deps_.loop, run(), [](const Status&) {});
  }
  change_.pulse();
  co_return Status();
}

rt::Async<Status> BlockStreamer::acknowledged(uint64_t number) {
  while (!failure_.has_value() && acknowledged_ < number) {
    co_await change_.wait();
  }
  co_return failure_.has_value() ? Status(*failure_) : Status();
}

rt::Async<Status> BlockStreamer::run() {
  while (true) {
    const Status stepped = co_await step();
    if (!stepped.has_value()) {
      failure_ = stepped.error();
      acks_.cancel();
      pipeline_.reset();
      change_.pulse();
      co_return stepped;
    }
  }
}

rt::Async<Status> BlockStreamer::step() {
  if (broken_.has_value()) {
    co_return co_await recover();
  }
  if (queue_.empty() || closing_) {
    co_return co_await wait_for_change();
  }
  if (!streaming_) {
    co_return co_await open_block();
  }
  if (queue_.front().header.last_in_block && !sent_.empty()) {
    // A node may close the block only when all have all of it: recovery needs no data then.
    co_return co_await wait_for_change();
  }
  co_await send_next();
  co_return Status();
}

rt::Async<Status> BlockStreamer::changed() {
  co_await change_.wait();
  co_return Status();
}

rt::Async<Status> BlockStreamer::wait_for_change() {
  if (pipeline_ == nullptr) {
    co_await change_.wait();
    co_return Status();
  }
  const Status waited = co_await rt::with_deadline(
      deps_.loop, deps_.loop.now() + options_.heartbeat, "data to write", changed());
  if (!waited.has_value() && !broken_.has_value() && pipeline_ != nullptr) {
    const Status sent = co_await pipeline_->send_heartbeat();
    if (!sent.has_value()) {
      break_at(0, sent.error());
    }
  }
  co_return Status();
}

rt::Async<Status> BlockStreamer::open_block() {
  for (int tries = 1;; ++tries) {
    Result<LocatedBlock> added = co_await deps_.name_node.add_block(file_, block_, excluded());
    if (!added.has_value()) {
      if (!errors_.empty()) {
        added.error().message += "; before that: " + tried();
      }
      co_return std::move(added).error();
    }
    LocatedBlock located = *std::move(added);
    if (located.replicas.empty()) {
      co_return cluster_error(fmt::format("cannot write {}: the NameNode gave no DataNode for {}",
                                          printable(file_.path), to_string(located.block)),
                              Errc::OutOfSpace);
    }
    const Block block = located.block;
    const std::optional<Block> previous = std::exchange(block_, block);
    token_ = std::move(located.token);
    replicas_ = std::move(located.replicas);
    block_->size_bytes = 0;
    sent_bytes_ = 0;
    auto opened =
        co_await Pipeline::open(&deps_.data_nodes, write_op(WriteStage::Create, block.generation));
    if (opened.has_value()) {
      streaming_ = true;
      flushed_ = false;
      start_acks(*std::move(opened));
      co_return Status();
    }
    const PipelineFailure& failure = opened.error();
    log_.info("hdfs.pipeline.not_opened",
              {{"block", to_string(block)}, {"error", failure.error.message}});
    errors_.push_back(failure.error.message);
    if (!failure.bad_token) {
      exclude(replicas_[failure.bad_node].node);
    }
    block_ = previous;
    MUSTER_CO_TRY_STATUS(co_await deps_.name_node.abandon_block(file_, block));
    if (tries >= options_.block_tries_max) {
      co_return give_up();
    }
  }
}

WriteOp BlockStreamer::write_op(WriteStage stage, uint64_t generation) const {
  WriteOp op;
  op.block = *block_;
  op.block.size_bytes = options_.block_bytes;
  op.token = token_;
  op.client_name = deps_.name_node.client_name();
  op.pipeline = replicas_;
  op.stage = stage;
  op.acknowledged_bytes = stage == WriteStage::Create ? options_.block_bytes : block_->size_bytes;
  op.sent_bytes = sent_bytes_;
  op.new_generation = generation;
  op.checksum = options_.checksum;
  return op;
}

void BlockStreamer::start_acks(std::unique_ptr<Pipeline> pipeline) {
  acks_.cancel();
  pipeline_ = std::move(pipeline);
  acks_ = rt::start(deps_.loop, read_acks(), [](const Status&) {});
}

rt::Async<> BlockStreamer::send_next() {
  sent_.push_back(std::move(queue_.front()));
  queue_.pop_front();
  const Packet& packet = sent_.back();
  sent_bytes_ = std::max(sent_bytes_, packet.end_in_block());
  closing_ = packet.header.last_in_block;
  sending_ = true;  // take_ack() must leave this packet where it is.
  const Status sent = co_await pipeline_->send(&packet);
  sending_ = false;
  if (!sent.has_value()) {
    break_at(0, sent.error());
  }
}

rt::Async<Status> BlockStreamer::read_acks() {
  while (true) {
    const Result<PipelineAck> ack = co_await pipeline_->next_ack();
    if (!ack.has_value()) {
      break_at(0, ack.error());
      co_return Status();
    }
    if (!take_ack(*ack)) {
      co_return Status();
    }
  }
}

/// Returns false when no more acknowledgements are to be read.
bool BlockStreamer::take_ack(const PipelineAck& ack) {
  if (ack.bad_node >= 0) {
    const auto node = std::min<size_t>(static_cast<size_t>(ack.bad_node), replicas_.size() - 1);
    break_at(node, cluster_error(fmt::format("DataNode {} failed while it wrote {}: {}",
                                             replicas_[node].node.data_address(),
                                             to_string(*block_), ack.text)));
    if (broken_.has_value() && broken_->bad_node == node) {
      broken_->restarting = ack.restarting;
      broken_->bad_token = ack.bad_token;
    }
    return false;
  }
  if (ack.sequence == kHeartbeatSequence) {
    return true;
  }
  const bool too_early = sent_.empty() || (sending_ && sent_.size() == 1);
  if (too_early || sent_.front().header.sequence != ack.sequence) {
    break_at(0, cluster_error(fmt::format("DataNode {} acknowledged packet {} of {} out of order",
                                          replicas_.front().node.data_address(), ack.sequence,
                                          to_string(*block_)),
                              Errc::Corrupt));
    return false;
  }
  const Packet& packet = sent_.front();
  const bool last = packet.header.last_in_block;
  block_->size_bytes = std::max(block_->size_bytes, packet.end_in_block());
  acknowledged_ = packet.number;
  sent_.pop_front();
  errors_.clear();
  recoveries_ = 0;
  if (last) {
    end_block();
  }
  change_.pulse();
  return !last;
}

void BlockStreamer::end_block() {
  // pipeline_ goes with the next block: this may run within its reader.
  streaming_ = false;
  closing_ = false;
  broken_.reset();
}

void BlockStreamer::break_at(size_t node, Error error) {
  if (!broken_.has_value() && streaming_) {
    broken_ = PipelineFailure{.bad_node = node, .error = std::move(error)};
    pipeline_->interrupt();
    change_.pulse();
  }
}

void BlockStreamer::exclude(const Datanode& node) {
  excluded_.push_back({node, deps_.loop.now() + options_.exclude_for});
}

std::vector<Datanode> BlockStreamer::excluded() {
  std::erase_if(excluded_,
                [now = deps_.loop.now()](const Excluded& each) { return each.until <= now; });
  std::vector<Datanode> nodes;
  nodes.reserve(excluded_.size());
  for (const Excluded& each : excluded_) {
    nodes.push_back(each.node);
  }
  return nodes;
}

std::string BlockStreamer::tried() const {
  std::string all;
  for (const std::string& error : errors_) {
    all += (all.empty() ? "" : "; ") + error;
  }
  return all;
}

Error BlockStreamer::give_up() const {
  return cluster_error(
      fmt::format("cannot write {}: its DataNodes failed: {}", printable(file_.path), tried()));
}

}  // namespace muster::hadoop::hdfs
