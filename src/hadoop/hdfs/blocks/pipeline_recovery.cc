#include "hadoop/hdfs/blocks/pipeline_recovery.h"

#include "base/text.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::hadoop::hdfs {
namespace {

/// How long a DataNode may take to copy a block to another.
constexpr Duration kCopyPatience = std::chrono::minutes(5);
/// The pause between two checks whether a DataNode is back.
constexpr Duration kRestartPause = std::chrono::seconds(1);

}  // namespace

rt::Async<Result<std::unique_ptr<Pipeline>>> PipelineRecovery::recover(OpenBlock* block,
                                                                       PipelineFailure failure,
                                                                       Progress progress) {
  const WriteStage stage =
      progress.closing ? WriteStage::CloseRecovery : WriteStage::StreamingRecovery;
  while (true) {
    if (!deps_.troubles.may_recover()) {
      deps_.troubles.note(failure.error.message);
      co_return deps_.troubles.give_up(deps_.open_file.path);
    }
    MUSTER_CO_TRY_STATUS(co_await drop_bad_node(block, &failure));
    if (!progress.closing && wants_replacement(*block, progress.flushed)) {
      MUSTER_CO_TRY_STATUS(co_await replace_node(block));
    }
    MUSTER_CO_TRY(Pipeline::Opened opened, co_await reopen(block, stage));
    if (opened.has_value()) {
      co_return *std::move(opened);
    }
    failure = std::move(opened).error();
  }
}

rt::Async<Status> PipelineRecovery::drop_bad_node(OpenBlock* block,
                                                  const PipelineFailure* failure) {
  deps_.log.warning("hdfs.pipeline.broken",
                    {{"block", to_string(block->block)}, {"error", failure->error.message}});
  deps_.troubles.note(failure->error.message);
  if (failure->bad_token) {
    co_return Status();  // The new generation comes with a new token.
  }
  const auto bad = block->replicas.begin() + static_cast<ptrdiff_t>(failure->bad_node);
  if (deps_.troubles.waits_for(bad->node, *failure)) {
    // The node keeps what it has: return to it once it is up again, if that is soon.
    co_await rt::pause_for(deps_.file.loop, kRestartPause);
    co_return Status();
  }
  deps_.troubles.exclude(bad->node);
  block->replicas.erase(bad);
  co_return block->replicas.empty() ? Status(deps_.troubles.give_up(deps_.open_file.path))
                                    : Status();
}

bool PipelineRecovery::wants_replacement(const OpenBlock& block, bool flushed) const {
  const size_t wanted = deps_.options.replication;
  const size_t left = block.replicas.size();
  switch (deps_.options.replacing) {
    case Replacing::Never:
      return false;
    case Replacing::Always:
      return left < wanted;
    case Replacing::Default:
      return wanted >= 3 && left < wanted && (left <= wanted / 2 || flushed);
  }
  return false;
}

rt::Async<Status> PipelineRecovery::replace_node(OpenBlock* block) {
  const Status replaced = co_await add_node(block);
  if (!replaced.has_value() && !deps_.options.replace_best_effort) {
    co_return replaced.error().within(
        fmt::format("cannot write {}: no DataNode can replace a failed one (on a small cluster set "
                    "dfs.client.block.write.replace-datanode-on-failure.best-effort)",
                    printable(deps_.open_file.path)));
  }
  co_return Status();
}

rt::Async<Status> PipelineRecovery::add_node(OpenBlock* block) {
  MUSTER_CO_TRY(LocatedBlock located,
                co_await deps_.file.name_node.additional_datanode(
                    deps_.open_file, block->block, block->replicas, deps_.troubles.excluded()));
  // The new node may be anywhere among the existing ones.
  const auto is_new = [&](const Replica& replica) {
    return std::ranges::find(block->replicas, replica.node.uuid, [](const Replica& other) {
             return other.node.uuid;
           }) == block->replicas.end();
  };
  const auto added = std::ranges::find_if(located.replicas, is_new);
  if (added == located.replicas.end()) {
    co_return cluster_error("the NameNode has no DataNode to replace the failed one");
  }
  const auto target = static_cast<size_t>(added - located.replicas.begin());
  MUSTER_CO_TRY_STATUS(co_await copy_to(block->block, located, target));
  block->replicas = std::move(located.replicas);
  co_return Status();
}

rt::Async<Status> PipelineRecovery::copy_to(Block block, LocatedBlock located, size_t target) {
  const size_t source = target == 0 ? 1 : target - 1;
  if (source >= located.replicas.size()) {
    co_return cluster_error("there is no DataNode to copy the block from");
  }
  const Replica& from = located.replicas[source];
  MUSTER_CO_TRY(const std::unique_ptr<DataStream> stream,
                co_await deps_.file.data_nodes.connect(from.node, located.token));
  stream->set_patience(kCopyPatience);
  TransferOp op{.block = block,
                .token = located.token,
                .client_name = deps_.file.name_node.client_name(),
                .targets = {located.replicas[target]}};
  const std::string request = encode(op);
  std::vector<std::string_view> pieces = {request};
  MUSTER_CO_TRY_STATUS(co_await stream->send(std::move(pieces)));
  MUSTER_CO_TRY(const OpResponse response, co_await read_response(stream.get()));
  if (!response.ok) {
    co_return cluster_error(
        fmt::format("DataNode {} refuses to copy {} to {}: {}", from.node.data_address(),
                    to_string(block), located.replicas[target].node.data_address(), response.text));
  }
  co_return Status();
}

rt::Async<Result<Pipeline::Opened>> PipelineRecovery::reopen(OpenBlock* block, WriteStage stage) {
  NameNode& name_node = deps_.file.name_node;
  MUSTER_CO_TRY(const LocatedBlock renewed,
                co_await name_node.new_generation(deps_.open_file, block->block));
  block->token = renewed.token;
  const uint64_t generation = renewed.block.generation;
  WriteOp op = write_op(*block, deps_.options, name_node.client_name(), stage, generation);
  Pipeline::Opened opened = co_await Pipeline::open(&deps_.file.data_nodes, std::move(op));
  if (!opened.has_value()) {
    co_return opened;
  }
  PipelineChange change{
      .old_block = block->block, .new_block = block->block, .replicas = block->replicas};
  change.new_block.generation = generation;
  MUSTER_CO_TRY_STATUS(co_await name_node.update_pipeline(deps_.open_file, std::move(change)));
  block->block.generation = generation;
  deps_.log.info("hdfs.pipeline.recovered",
                 {{"block", to_string(block->block)}, {"nodes", block->replicas.size()}});
  co_return opened;
}

}  // namespace muster::hadoop::hdfs
