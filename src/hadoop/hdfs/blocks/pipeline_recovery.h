#pragma once

#include "base/log.h"
#include "base/result.h"
#include "hadoop/hdfs/blocks/open_block.h"
#include "hadoop/hdfs/blocks/pipeline.h"
#include "hadoop/hdfs/file_reader.h"
#include "hadoop/hdfs/names/name_node.h"
#include "hadoop/hdfs/names/node_troubles.h"
#include "rt/async.h"

#include <memory>

namespace muster::hadoop::hdfs {

/// Gets the pipeline of a block going again after one of its DataNodes failed: leaves that one out,
/// gets another in its place if the options say so, and opens the chain again in the block's next
/// generation.
class PipelineRecovery {
 public:
  /// All must outlive this.
  struct Deps {
    FileDeps file;
    log::Logger log;
    const OpenFile& open_file;
    const WriterOptions& options;
    NodeTroubles& troubles;
  };
  explicit PipelineRecovery(Deps deps) : deps_(deps) {}

  /// How far the block had got when its pipeline broke.
  struct Progress {
    bool closing = false;  ///< Its last packet was sent: the nodes that are left close it.
    bool flushed = false;  ///< Readers were promised what was written.
  };
  /// Returns the new pipeline, with `block` as it is now; retries as often as the options allow.
  /// Fails if there is nothing left to write to.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<Pipeline>>> recover(OpenBlock* block,
                                                                     PipelineFailure failure,
                                                                     Progress progress);

 private:
  [[nodiscard]] rt::Async<Status> drop_bad_node(OpenBlock* block, const PipelineFailure* failure);
  [[nodiscard]] bool wants_replacement(const OpenBlock& block, bool flushed) const;
  [[nodiscard]] rt::Async<Status> replace_node(OpenBlock* block);
  [[nodiscard]] rt::Async<Status> add_node(OpenBlock* block);
  [[nodiscard]] rt::Async<Status> copy_to(Block block, LocatedBlock located, size_t target);
  [[nodiscard]] rt::Async<Result<Pipeline::Opened>> reopen(OpenBlock* block, WriteStage stage);

  Deps deps_;
};

}  // namespace muster::hadoop::hdfs
