#pragma once

#include "base/result.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/checksum.h"
#include "hadoop/hdfs/blocks/data_stream.h"
#include "rt/async.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// The largest answer of a DataNode to an operation.
inline constexpr size_t kOpResponseBytesMax = 1U << 20;

/// Asks a DataNode for a range of a block.
struct ReadOp {
  Block block;
  Token token;
  std::string client_name;
  uint64_t offset = 0;  ///< In the block.
  uint64_t length = 0;
};
[[nodiscard]] std::string encode(const ReadOp& read);

/// Why a pipeline is opened; numbers as on the wire.
enum class WriteStage : uint8_t { StreamingRecovery = 3, CloseRecovery = 5, Create = 6 };

/// Opens a pipeline for a block through the first of `pipeline` to the others.
struct WriteOp {
  Block block;
  Token token;
  std::string client_name;
  std::vector<Replica> pipeline;  ///< At least one.
  WriteStage stage = WriteStage::Create;
  uint64_t acknowledged_bytes = 0;
  uint64_t sent_bytes = 0;
  uint64_t new_generation = 0;  ///< Of the block; at creation its own.
  Checksum checksum;
};
[[nodiscard]] std::string encode(const WriteOp& write);

/// Lets a DataNode copy an unfinished block to others.
struct TransferOp {
  Block block;
  Token token;
  std::string client_name;
  std::vector<Replica> targets;
};
[[nodiscard]] std::string encode(const TransferOp& transfer);

/// A DataNode's answer to one of these.
struct OpResponse {
  bool ok = false;
  bool bad_token = false;      ///< The block token has expired or is none.
  bool restarting = false;     ///< The node says it is about to restart.
  std::string first_bad_link;  ///< "ip:port" of the node of a pipeline that failed.
  std::string text;            ///< What the node says, with the status; empty if ok.
  Checksum checksum;           ///< Of the block that is read.
  uint64_t chunk_offset = 0;   ///< Where the first packet begins.
};
/// Reads the answer from `stream`. Fails if the stream broke, or the answer is not valid.
[[nodiscard]] rt::Async<Result<OpResponse>> read_response(DataStream* stream);

/// Returns what tells a DataNode that a block was read and its checksums were right.
[[nodiscard]] std::string encode_checksums_right();

/// One acknowledgement from a pipeline.
struct PipelineAck {
  int64_t sequence = 0;
  int bad_node = -1;        ///< The node that failed, counted from the first; -1: none.
  bool restarting = false;  ///< That node says that it restarts now.
  bool bad_token = false;
  std::string text;  ///< The status of that node.
};
[[nodiscard]] Result<PipelineAck> decode_ack(std::string_view message);

}  // namespace muster::hadoop::hdfs
