#include "testing/hadoop/fake_data_node.h"

#include "hadoop/hdfs/blocks/packet.h"
#include "hadoop/hdfs/blocks/transfer_op.h"
#include "hadoop/hdfs/blocks/varint.h"
#include "hadoop/hdfs/records.h"
#include "testing/hadoop/fake_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;
namespace pb = hdfs::pb;

namespace {

constexpr size_t kReadPacketBytes = 4096;
constexpr unsigned char kOpWrite = 80;
constexpr unsigned char kOpRead = 81;
constexpr unsigned char kOpCopy = 86;

class VisibleLength final : public hadoop::rpc::Proxy {
 public:
  explicit VisibleLength(FakeDataNode& node) : node_(&node) {}

  rt::Async<hadoop::rpc::Outcome> call(hadoop::rpc::Method,
                                       const google::protobuf::MessageLite& request,
                                       google::protobuf::MessageLite& reply,
                                       hadoop::rpc::CallOptions) override {
    return answer(request.SerializeAsString(), &reply);
  }

 private:
  rt::Async<hadoop::rpc::Outcome> answer(std::string request,
                                         google::protobuf::MessageLite* reply) {
    pb::GetReplicaVisibleLengthRequestProto asked;
    asked.ParseFromString(request);
    const auto found = node_->replicas.find(asked.block().blockid());
    if (!node_->alive()) {
      co_return cluster_error("connection refused");
    }
    if (found == node_->replicas.end()) {
      hadoop::rpc::Failure failure(cluster_error("replica not found", Errc::Other));
      failure.exception_class = "org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException";
      co_return failure;
    }
    pb::GetReplicaVisibleLengthResponseProto length;
    length.set_length(node_->faults.restarted ? UINT64_MAX : found->second.bytes.size());
    reply->ParseFromString(length.SerializeAsString());
    co_return hadoop::rpc::Outcome();
  }

  FakeDataNode* node_;
};

}  // namespace

FakeDataNode::FakeDataNode(rt::Loop& loop, MemoryNet& net, int index)
    : loop_(&loop), net_(&net), serving_(loop) {
  node_.ip = fmt::format("10.0.0.{}", index);
  node_.host_name = fmt::format("dn{}", index);
  node_.uuid = fmt::format("uuid-{}", index);
  node_.data_port = 9866;
  node_.info_port = 9864;
  node_.ipc_port = 9867;
  live();
}

void FakeDataNode::live() {
  alive_ = true;
  net_->listen({.host = node_.ip, .port = 9866},
               [this](std::unique_ptr<net::Stream> stream) { accept(std::move(stream)); });
}

void FakeDataNode::die() {
  alive_ = false;
  net_->stop({.host = node_.ip, .port = 9866});
  net_->cut({.host = node_.ip, .port = 9866});
}

void FakeDataNode::move_to(const net::HostPort& server) {
  node_.ip = server.host;
  node_.host_name = server.host;
  node_.data_port = server.port;
}

std::unique_ptr<hadoop::rpc::Proxy> FakeDataNode::proxy() {
  return std::make_unique<VisibleLength>(*this);
}

void FakeDataNode::accept(std::unique_ptr<net::Stream> stream) {
  serving_.spawn(serve(std::make_unique<hdfs::DataStream>(*loop_, std::move(stream), kPatience)));
}

rt::Async<> FakeDataNode::serve(std::unique_ptr<hdfs::DataStream> stream) {
  ++connections;
  // A failed operation ends the connection, and so does a write.
  bool reusable = true;
  while (reusable) {
    const Status served = co_await serve_op(stream.get(), &reusable);
    reusable = reusable && served.has_value();
    stream->set_patience(keep_alive);
  }
}

rt::Async<Status> FakeDataNode::serve_op(hdfs::DataStream* stream, bool* reusable) {
  MUSTER_CO_TRY(const std::string_view start, co_await stream->take(3));
  stream->set_patience(kPatience);
  const auto code = static_cast<unsigned char>(start[2]);
  MUSTER_CO_TRY(const std::string_view message, co_await stream->take_delimited(1U << 20));
  std::string copy(message);
  *reusable = code == kOpRead;
  if (faults.silent) {
    static_cast<void>(co_await stream->take(1));
    co_return Status();
  }
  if (code == kOpWrite) {
    co_return co_await write_block(stream, std::move(copy));
  }
  if (code == kOpRead) {
    co_return co_await read_block(stream, std::move(copy));
  }
  if (code == kOpCopy) {
    co_return co_await copy_block(stream, std::move(copy));
  }
  co_return cluster_error("no such operation");
}

rt::Async<Status> FakeDataNode::read_block(hdfs::DataStream* stream, std::string message) {
  ++reads;
  pb::OpReadBlockProto op;
  op.ParseFromString(message);
  const auto found = replicas.find(op.header().baseheader().block().blockid());
  if (faults.stale_tokens > 0) {
    --faults.stale_tokens;
    co_return co_await send_response(stream, pb::ERROR_ACCESS_TOKEN, "");
  }
  if (found == replicas.end() || op.offset() + op.len() > found->second.bytes.size()) {
    co_return co_await send_response(stream, pb::ERROR, "no such replica or range");
  }
  const hdfs::Checksum checksum;
  uint64_t at = op.offset() / checksum.chunk_bytes * checksum.chunk_bytes;
  MUSTER_CO_TRY_STATUS(co_await send_read_response(stream, checksum, at));
  const uint64_t end = op.offset() + op.len();
  size_t given = 0;
  for (int64_t sequence = 0; at < end; ++sequence) {
    std::string data =
        found->second.bytes.substr(at, std::min<uint64_t>(kReadPacketBytes, end - at));
    hdfs::Packet packet = make_packet(checksum, data, at, sequence);
    if (faults.damage) {
      packet.data.back() = static_cast<char>(packet.data.back() ^ 1);
    }
    MUSTER_CO_TRY_STATUS(co_await send_packet(stream, &packet));
    at += data.size();
    given += data.size();
    if (faults.die_after_read.has_value() && given >= *faults.die_after_read) {
      die();
      co_return Status();
    }
  }
  hdfs::Packet last = make_packet(checksum, "", at, 0);
  last.header.last_in_block = true;
  MUSTER_CO_TRY_STATUS(co_await send_packet(stream, &last));
  // The reader's verdict.
  MUSTER_CO_TRY(const std::string_view verdict, co_await stream->take_delimited(100));
  verdicts += verdict.empty() ? 0 : 1;
  co_return Status();
}

}  // namespace muster::testing
