#include "hadoop/hdfs/blocks/open_block.h"

namespace muster::hadoop::hdfs {

WriteOp write_op(const OpenBlock& open, const WriterOptions& options,
                 const std::string& client_name, WriteStage stage, uint64_t generation) {
  WriteOp op;
  op.block = open.block;
  op.block.size_bytes = options.block_bytes;
  op.token = open.token;
  op.client_name = client_name;
  op.pipeline = open.replicas;
  op.stage = stage;
  op.acknowledged_bytes = stage == WriteStage::Create ? options.block_bytes : open.block.size_bytes;
  op.sent_bytes = open.sent_bytes;
  op.new_generation = generation;
  op.checksum = options.checksum;
  return op;
}

}  // namespace muster::hadoop::hdfs
