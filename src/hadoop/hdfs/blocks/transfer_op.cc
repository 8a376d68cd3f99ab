#include "hadoop/hdfs/blocks/transfer_op.h"

#include "hadoop/hdfs/blocks/varint.h"
#include "hadoop/hdfs/records.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {
namespace {

constexpr char kVersion = 28;
constexpr char kWriteBlock = 80;
constexpr char kReadBlock = 81;
constexpr char kTransferBlock = 86;

std::string delimited(const google::protobuf::MessageLite& message) {
  std::string bytes;
  put_varint(bytes, message.ByteSizeLong());
  message.AppendToString(&bytes);
  return bytes;
}

std::string operation(char code, const google::protobuf::MessageLite& message) {
  std::string bytes(1, char{});
  bytes += kVersion;
  bytes += code;
  return bytes + delimited(message);
}

void put_header(const Block& block, const Token& token, const std::string& client_name,
                pb::ClientOperationHeaderProto* to) {
  put(block, to->mutable_baseheader()->mutable_block());
  put(token, to->mutable_baseheader()->mutable_token());
  to->set_clientname(client_name);
}

std::string_view name_of(pb::Status status) {
  switch (status) {
    case pb::SUCCESS:
    case pb::CHECKSUM_OK:
      return "success";
    case pb::ERROR:
      return "error";
    case pb::ERROR_CHECKSUM:
      return "checksum error";
    case pb::ERROR_INVALID:
      return "invalid request";
    case pb::ERROR_EXISTS:
      return "the block exists already";
    case pb::ERROR_ACCESS_TOKEN:
      return "the block token is not valid";
    case pb::ERROR_UNSUPPORTED:
      return "unsupported";
    case pb::OOB_RESTART:
      return "it restarts";
    case pb::OOB_RESERVED1:
    case pb::OOB_RESERVED2:
    case pb::OOB_RESERVED3:
      return "unknown out-of-band status";
    case pb::IN_PROGRESS:
      return "in progress";
    case pb::ERROR_BLOCK_PINNED:
      return "the block is pinned";
  }
  return "unknown status";
}

}  // namespace

std::string encode(const ReadOp& read) {
  pb::OpReadBlockProto message;
  put_header(read.block, read.token, read.client_name, message.mutable_header());
  message.set_offset(read.offset);
  message.set_len(read.length);
  message.set_sendchecksums(true);
  message.mutable_cachingstrategy();
  return operation(kReadBlock, message);
}

std::string encode(const WriteOp& write) {
  pb::OpWriteBlockProto message;
  put_header(write.block, write.token, write.client_name, message.mutable_header());
  message.set_stage(static_cast<pb::OpWriteBlockProto::BlockConstructionStage>(write.stage));
  message.set_pipelinesize(static_cast<uint32_t>(write.pipeline.size()));
  message.set_minbytesrcvd(write.acknowledged_bytes);
  message.set_maxbytesrcvd(write.sent_bytes);
  message.set_latestgenerationstamp(write.new_generation);
  put(write.checksum, message.mutable_requestedchecksum());
  message.mutable_cachingstrategy();
  message.set_storagetype(to_proto(write.pipeline.front().storage_type));
  message.set_storageid(write.pipeline.front().storage_id);
  message.set_allowlazypersist(false);
  message.set_pinning(false);
  for (size_t i = 1; i < write.pipeline.size(); ++i) {
    const Replica& replica = write.pipeline[i];
    put(replica.node, message.add_targets());
    message.add_targetstoragetypes(to_proto(replica.storage_type));
    message.add_targetpinnings(false);
    message.add_targetstorageids(replica.storage_id);
  }
  return operation(kWriteBlock, message);
}

std::string encode(const TransferOp& transfer) {
  pb::OpTransferBlockProto message;
  put_header(transfer.block, transfer.token, transfer.client_name, message.mutable_header());
  for (const Replica& replica : transfer.targets) {
    put(replica.node, message.add_targets());
    message.add_targetstoragetypes(to_proto(replica.storage_type));
    message.add_targetstorageids(replica.storage_id);
  }
  return operation(kTransferBlock, message);
}

rt::Async<Result<OpResponse>> read_response(DataStream* stream) {
  pb::BlockOpResponseProto message;
  do {
    MUSTER_CO_TRY(const std::string_view bytes,
                  co_await stream->take_delimited(kOpResponseBytesMax));
    if (!parse(message, bytes)) {
      co_return cluster_error(
          fmt::format("DataNode {} sent a malformed response; is its data transfer secured "
                      "differently from what the configuration says?",
                      stream->peer()),
          Errc::Corrupt);
    }
  } while (message.status() == pb::IN_PROGRESS);  // "I am still working on it."
  OpResponse response;
  response.ok = message.status() == pb::SUCCESS;
  response.bad_token = message.status() == pb::ERROR_ACCESS_TOKEN;
  response.restarting = message.status() == pb::OOB_RESTART;
  response.first_bad_link = message.firstbadlink();
  if (!response.ok) {
    response.text =
        fmt::format("{}{}{}", name_of(message.status()), message.message().empty() ? "" : ": ",
                    std::string_view(message.message()).substr(0, 500));
  }
  if (message.has_readopchecksuminfo()) {
    const pb::ReadOpChecksumInfoProto& info = message.readopchecksuminfo();
    MUSTER_CO_TRY(response.checksum, make_checksum(static_cast<uint32_t>(info.checksum().type()),
                                                   info.checksum().bytesperchecksum()));
    response.chunk_offset = info.chunkoffset();
  }
  co_return response;
}

std::string encode_checksums_right() {
  pb::ClientReadStatusProto message;
  message.set_status(pb::CHECKSUM_OK);
  return delimited(message);
}

Result<PipelineAck> decode_ack(std::string_view bytes) {
  pb::PipelineAckProto message;
  if (!parse(message, bytes)) {
    return cluster_error("a DataNode sent a malformed acknowledgement", Errc::Corrupt);
  }
  PipelineAck ack;
  ack.sequence = message.seqno();
  // The nearest node that failed makes those behind it look failed, too.
  for (int i = 0; i < message.reply_size(); ++i) {
    const pb::Status status = message.reply(i);
    if (status == pb::SUCCESS) {
      continue;
    }
    ack.bad_node = i;
    ack.restarting = status == pb::OOB_RESTART;
    ack.bad_token = status == pb::ERROR_ACCESS_TOKEN;
    ack.text = name_of(status);
    break;
  }
  return ack;
}

}  // namespace muster::hadoop::hdfs
