#pragma once

#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/transfer_op.h"
#include "hadoop/hdfs/writer_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::hadoop::hdfs {

/// A block that is being written, and where.
struct OpenBlock {
  Block block;  ///< With its acknowledged size.
  Token token;
  std::vector<Replica> replicas;  ///< Of the pipeline.
  uint64_t sent_bytes = 0;
};

/// Returns what opens a pipeline for it.
[[nodiscard]] WriteOp write_op(const OpenBlock& open, const WriterOptions& options,
                               const std::string& client_name, WriteStage stage,
                               uint64_t generation);

}  // namespace muster::hadoop::hdfs
