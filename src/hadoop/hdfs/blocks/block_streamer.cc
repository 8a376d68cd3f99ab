#include "hadoop/hdfs/blocks/block_streamer.h"

#include "base/text.h"
#include "hadoop/hdfs/blocks/pipeline_recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {

BlockStreamer::BlockStreamer(FileDeps deps, log::Logger log, OpenFile file, WriterOptions options)
    : deps_(deps),
      log_(log),
      file_(std::move(file)),
      options_(options),
      change_(deps.loop),
      troubles_(deps.loop, options_) {}

rt::Async<Status> BlockStreamer::push(Packet packet) {
  while (!failure_.has_value() && window_.size() >= options_.packets_max) {
    co_await change_.wait();
  }
  if (failure_.has_value()) {
    co_return *failure_;
  }
  window_.push(std::move(packet));
  if (!running_.active()) {
    running_ = rt::start(deps_.loop, run(), [](const Status&) {});
  }
  change_.pulse();
  co_return Status();
}

rt::Async<Status> BlockStreamer::acknowledged(uint64_t number) {
  while (!failure_.has_value() && window_.acknowledged() < number) {
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
  const Packet* const next = window_.next();
  if (next == nullptr || state_ == State::Closing) {
    co_return co_await wait_for_change();
  }
  if (state_ == State::NoBlock) {
    co_return co_await open_block();
  }
  if (next->header.last_in_block && !window_.all_acknowledged()) {
    // A node may close the block only once all nodes have all of it: recovery then needs no data.
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
      break_at({.error = sent.error()});
    }
  }
  co_return Status();
}

rt::Async<Status> BlockStreamer::open_block() {
  for (int tries = 1;; ++tries) {
    MUSTER_CO_TRY(LocatedBlock located, co_await add_block());
    const Block block = located.block;
    OpenBlock opening{.block = block,
                      .token = std::move(located.token),
                      .replicas = std::move(located.replicas),
                      .sent_bytes = 0};
    opening.block.size_bytes = 0;
    WriteOp op = write_op(opening, options_, deps_.name_node.client_name(), WriteStage::Create,
                          block.generation);
    auto opened = co_await Pipeline::open(&deps_.data_nodes, std::move(op));
    if (opened.has_value()) {
      block_ = std::move(opening);
      state_ = State::Streaming;
      flushed_ = false;
      start_acks(*std::move(opened));
      co_return Status();
    }
    const PipelineFailure& failure = opened.error();
    log_.info("hdfs.pipeline.not_opened",
              {{"block", to_string(block)}, {"error", failure.error.message}});
    troubles_.note(failure.error.message);
    if (!failure.bad_token) {
      troubles_.exclude(opening.replicas[failure.bad_node].node);
    }
    MUSTER_CO_TRY_STATUS(co_await deps_.name_node.abandon_block(file_, block));
    if (tries >= options_.block_tries_max) {
      co_return troubles_.give_up(file_.path);
    }
  }
}

rt::Async<Result<LocatedBlock>> BlockStreamer::add_block() {
  Result<LocatedBlock> added =
      co_await deps_.name_node.add_block(file_, last_block(), troubles_.excluded());
  if (!added.has_value()) {
    if (const std::string tried = troubles_.tried(); !tried.empty()) {
      added.error().message += "; before that: " + tried;
    }
    co_return std::move(added).error();
  }
  if (added->replicas.empty()) {
    co_return cluster_error(fmt::format("cannot write {}: the NameNode gave no DataNode for {}",
                                        printable(file_.path), to_string(added->block)),
                            Errc::OutOfSpace);
  }
  co_return added;
}

void BlockStreamer::start_acks(std::unique_ptr<Pipeline> pipeline) {
  acks_.cancel();
  pipeline_ = std::move(pipeline);
  acks_ = rt::start(deps_.loop, read_acks(), [](const Status&) {});
}

rt::Async<> BlockStreamer::send_next() {
  const Packet& packet = window_.begin_sending();
  block_->sent_bytes = std::max(block_->sent_bytes, packet.end_in_block());
  if (packet.header.last_in_block) {
    state_ = State::Closing;
  }
  const Status sent = co_await pipeline_->send(&packet);
  window_.end_sending();
  if (!sent.has_value()) {
    break_at({.error = sent.error()});
  }
}

rt::Async<Status> BlockStreamer::read_acks() {
  while (true) {
    const Result<PipelineAck> ack = co_await pipeline_->next_ack();
    if (!ack.has_value()) {
      break_at({.error = ack.error()});
      co_return Status();
    }
    if (!take_ack(*ack)) {
      co_return Status();
    }
  }
}

/// Returns false if no more acknowledgements are to be read.
bool BlockStreamer::take_ack(const PipelineAck& ack) {
  if (ack.bad_node >= 0) {
    take_failure(ack);
    return false;
  }
  if (ack.sequence == kHeartbeatSequence) {
    return true;
  }
  const std::optional<Packet> packet = window_.acknowledge(ack.sequence);
  if (!packet.has_value()) {
    break_at(
        {.error = cluster_error(fmt::format("DataNode {} acknowledged packet {} of {} out of order",
                                            block_->replicas.front().node.data_address(),
                                            ack.sequence, to_string(block_->block)),
                                Errc::Corrupt)});
    return false;
  }
  block_->block.size_bytes = std::max(block_->block.size_bytes, packet->end_in_block());
  troubles_.forget();
  if (packet->header.last_in_block) {
    end_block();
  }
  change_.pulse();
  return !packet->header.last_in_block;
}

void BlockStreamer::take_failure(const PipelineAck& ack) {
  const std::vector<Replica>& replicas = block_->replicas;
  const auto node = std::min<size_t>(static_cast<size_t>(ack.bad_node), replicas.size() - 1);
  break_at({.bad_node = node,
            .error = cluster_error(fmt::format("DataNode {} failed while it wrote {}: {}",
                                               replicas[node].node.data_address(),
                                               to_string(block_->block), ack.text))});
  if (broken_.has_value() && broken_->bad_node == node) {
    // Sending to the node may have failed first, which does not show the reason.
    broken_->restarting = ack.restarting;
    broken_->bad_token = ack.bad_token;
  }
}

rt::Async<Status> BlockStreamer::recover() {
  acks_.cancel();
  pipeline_.reset();
  PipelineFailure failure = *std::exchange(broken_, std::nullopt);
  PipelineRecovery recovery(
      {.file = deps_, .log = log_, .open_file = file_, .options = options_, .troubles = troubles_});
  const PipelineRecovery::Progress progress{.closing = state_ == State::Closing,
                                            .flushed = flushed_};
  MUSTER_CO_TRY(std::unique_ptr<Pipeline> pipeline,
                co_await recovery.recover(&*block_, std::move(failure), progress));
  if (progress.closing) {
    // The remaining nodes have closed the block.
    window_.acknowledge_all();
    end_block();
    change_.pulse();
    co_return Status();
  }
  window_.rewind();
  start_acks(std::move(pipeline));
  co_return Status();
}

void BlockStreamer::end_block() {
  // pipeline_ goes with the next block: this may run within its reader.
  state_ = State::NoBlock;
  broken_.reset();
}

void BlockStreamer::break_at(PipelineFailure failure) {
  if (!broken_.has_value() && state_ != State::NoBlock) {
    broken_ = std::move(failure);
    pipeline_->interrupt();
    change_.pulse();
  }
}

}  // namespace muster::hadoop::hdfs
