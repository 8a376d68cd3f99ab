#include "hadoop/hdfs/blocks/pipeline.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::hadoop::hdfs {
namespace {

/// How much each further node may add to the time that the first is silent.
constexpr Duration kPatiencePerNode = std::chrono::seconds(5);
constexpr size_t kAckBytesMax = 64U << 10;

/// Finds the node that a DataNode reports as bad, "ip:port" or "host:port"; the first if it names
/// none.
size_t find_node(const std::vector<Replica>& pipeline, std::string_view link) {
  for (size_t i = 0; i < pipeline.size(); ++i) {
    const Datanode& node = pipeline[i].node;
    if (link == node.data_address() ||
        link == fmt::format("{}:{}", node.host_name, node.data_port)) {
      return i;
    }
  }
  return 0;
}

}  // namespace

rt::Async<Pipeline::Opened> Pipeline::open(DataNodes* data_nodes, WriteOp op) {
  auto stream = co_await data_nodes->connect(op.pipeline.front().node, op.token);
  if (!stream.has_value()) {
    PipelineFailure failure;
    failure.bad_token = stream.error().code == Errc::Unauthenticated;
    failure.error = std::move(stream).error();
    co_return std::unexpected(std::move(failure));
  }
  std::unique_ptr<Pipeline> pipeline(new Pipeline(*std::move(stream)));
  DataStream* connection = pipeline->stream_.get();
  connection->set_patience(data_nodes->options().patience + kPatiencePerNode * op.pipeline.size());
  const std::string request = encode(op);
  std::vector<std::string_view> pieces = {request};
  const Status sent = co_await connection->send(std::move(pieces));
  if (!sent.has_value()) {
    co_return std::unexpected(PipelineFailure{.error = sent.error()});
  }
  Result<OpResponse> response = co_await read_response(connection);
  if (!response.has_value()) {
    co_return std::unexpected(PipelineFailure{.error = std::move(response).error()});
  }
  if (!response->ok) {
    PipelineFailure failure;
    failure.bad_node = find_node(op.pipeline, response->first_bad_link);
    failure.restarting = response->restarting;
    failure.bad_token = response->bad_token;
    failure.error = cluster_error(fmt::format("DataNode {} refuses {}: {}",
                                              op.pipeline[failure.bad_node].node.data_address(),
                                              to_string(op.block), response->text));
    co_return std::unexpected(std::move(failure));
  }
  co_return pipeline;
}

rt::Async<Status> Pipeline::send(const Packet* packet) {
  const std::string start = encode_packet_start(packet->header, packet->sums.size());
  std::vector<std::string_view> pieces = {
      start, std::string_view(packet->sums.data(), packet->sums.size()), packet->data};
  co_return co_await stream_->send(std::move(pieces));
}

rt::Async<Status> Pipeline::send_heartbeat() {
  const PacketHeader header{.offset_in_block = 0,
                            .sequence = kHeartbeatSequence,
                            .last_in_block = false,
                            .data_bytes = 0,
                            .sync = false};
  const std::string start = encode_packet_start(header, 0);
  std::vector<std::string_view> pieces = {start};
  co_return co_await stream_->send(std::move(pieces));
}

rt::Async<Result<PipelineAck>> Pipeline::next_ack() {
  MUSTER_CO_TRY(const std::string_view bytes, co_await stream_->take_delimited(kAckBytesMax));
  co_return decode_ack(bytes);
}

}  // namespace muster::hadoop::hdfs
