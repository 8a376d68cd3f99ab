#include "base/text.h"
#include "hadoop/hdfs/block_streamer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {
namespace {

/// What a DataNode may take to copy a block to another.
constexpr Duration kCopyPatience = std::chrono::minutes(5);
/// Between two looks whether a DataNode is back.
constexpr Duration kRestartPause = std::chrono::seconds(1);

}  // namespace

rt::Async<Status> BlockStreamer::recover() {
  acks_.cancel();
  pipeline_.reset();
  if (++recoveries_ > options_.recoveries_max) {
    errors_.push_back(broken_->error.message);
    co_return give_up();
  }
  MUSTER_CO_TRY_STATUS(co_await drop_bad_node());
  if (!closing_ && wants_replacement()) {
    MUSTER_CO_TRY_STATUS(co_await replace_node());
  }
  co_return co_await reopen();
}

rt::Async<Status> BlockStreamer::drop_bad_node() {
  const PipelineFailure failure = *std::exchange(broken_, std::nullopt);
  log_.warning("hdfs.pipeline.broken",
               {{"block", to_string(*block_)}, {"error", failure.error.message}});
  errors_.push_back(failure.error.message);
  if (failure.bad_token) {
    co_return Status();  // The new generation comes with a new token.
  }
  if (is_restarting(failure)) {
    // It keeps what it has: come back when it is there again, if that is soon.
    --recoveries_;
    co_await rt::pause_for(deps_.loop, kRestartPause);
    co_return Status();
  }
  const auto bad = replicas_.begin() + static_cast<ptrdiff_t>(failure.bad_node);
  exclude(bad->node);
  replicas_.erase(bad);
  if (replicas_.empty()) {
    co_return give_up();
  }
  co_return Status();
}

bool BlockStreamer::is_restarting(const PipelineFailure& failure) {
  const std::string& id = replicas_[failure.bad_node].node.uuid;
  if (failure.restarting && restarting_id_ != id) {
    restarting_id_ = id;
    restart_until_ = deps_.loop.now() + options_.restart_wait;
  }
  return restarting_id_ == id && deps_.loop.now() < restart_until_;
}

bool BlockStreamer::wants_replacement() const {
  const size_t wanted = options_.replication;
  switch (options_.replacing) {
    case Replacing::Never:
      return false;
    case Replacing::Always:
      return replicas_.size() < wanted;
    case Replacing::Default:
      return wanted >= 3 && replicas_.size() < wanted &&
             (replicas_.size() <= wanted / 2 || flushed_);
  }
  return false;
}

rt::Async<Status> BlockStreamer::replace_node() {
  auto located =
      co_await deps_.name_node.additional_datanode(file_, *block_, replicas_, excluded());
  Status replaced;
  if (!located.has_value()) {
    replaced = located.error();
  } else {
    // The new node may stand anywhere among those that are there.
    const std::vector<Replica>& nodes = located->replicas;
    const auto added = std::ranges::find_if(nodes, [&](const Replica& replica) {
      return std::ranges::find(replicas_, replica.node.uuid, [](const Replica& other) {
               return other.node.uuid;
             }) == replicas_.end();
    });
    if (added == nodes.end()) {
      replaced = cluster_error("the NameNode knows no DataNode in place of the failed one");
    } else {
      const auto target = static_cast<size_t>(added - nodes.begin());
      const size_t source = target == 0 ? 1 : target - 1;
      replaced = co_await copy_to(*located, source, target);
      if (replaced.has_value()) {
        replicas_ = located->replicas;
      }
    }
  }
  if (!replaced.has_value() && !options_.replace_best_effort) {
    co_return replaced.error().within(fmt::format(
        "cannot write {}: no DataNode takes the place of a failed one (on a small cluster set "
        "dfs.client.block.write.replace-datanode-on-failure.best-effort)",
        printable(file_.path)));
  }
  co_return Status();
}

rt::Async<Status> BlockStreamer::copy_to(LocatedBlock located, size_t source, size_t target) {
  if (source >= located.replicas.size()) {
    co_return cluster_error("there is no DataNode to copy the block from");
  }
  const Replica& from = located.replicas[source];
  MUSTER_CO_TRY(const std::unique_ptr<DataStream> stream,
                co_await deps_.data_nodes.connect(from.node, located.token));
  stream->set_patience(kCopyPatience);
  TransferOp op{.block = *block_,
                .token = located.token,
                .client_name = deps_.name_node.client_name(),
                .targets = {located.replicas[target]}};
  const std::string request = encode(op);
  std::vector<std::string_view> pieces = {request};
  MUSTER_CO_TRY_STATUS(co_await stream->send(std::move(pieces)));
  MUSTER_CO_TRY(const OpResponse response, co_await read_response(stream.get()));
  if (!response.ok) {
    co_return cluster_error(fmt::format(
        "DataNode {} does not copy {} to {}: {}", from.node.data_address(), to_string(*block_),
        located.replicas[target].node.data_address(), response.text));
  }
  co_return Status();
}

rt::Async<Status> BlockStreamer::reopen() {
  MUSTER_CO_TRY(const LocatedBlock renewed,
                co_await deps_.name_node.new_generation(file_, *block_));
  token_ = renewed.token;
  const uint64_t generation = renewed.block.generation;
  const WriteStage stage = closing_ ? WriteStage::CloseRecovery : WriteStage::StreamingRecovery;
  auto opened = co_await Pipeline::open(&deps_.data_nodes, write_op(stage, generation));
  if (!opened.has_value()) {
    broken_ = std::move(opened).error();  // The next step recovers from that.
    co_return Status();
  }
  PipelineChange change{.old_block = *block_, .new_block = *block_, .replicas = replicas_};
  change.new_block.generation = generation;
  MUSTER_CO_TRY_STATUS(co_await deps_.name_node.update_pipeline(file_, std::move(change)));
  block_->generation = generation;
  log_.info("hdfs.pipeline.recovered",
            {{"block", to_string(*block_)}, {"nodes", replicas_.size()}});
  if (closing_) {
    // The nodes that are left have closed the block.
    acknowledged_ = sent_.back().number;
    sent_.clear();
    end_block();
    change_.pulse();
    co_return Status();
  }
  while (!sent_.empty()) {
    queue_.push_front(std::move(sent_.back()));
    sent_.pop_back();
  }
  start_acks(*std::move(opened));
  co_return Status();
}

}  // namespace muster::hadoop::hdfs
