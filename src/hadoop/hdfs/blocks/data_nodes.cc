#include "hadoop/hdfs/blocks/data_nodes.h"

#include "hadoop/hdfs/records.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <utility>

namespace muster::hadoop::hdfs {

DataNodes::DataNodes(Deps deps, DataNodeOptions options)
    : deps_(std::move(deps)), options_(options), idle_(deps_.loop, options_.idle) {}

rt::Async<Result<std::unique_ptr<DataStream>>> DataNodes::dial(Datanode node, Token token) {
  const net::HostPort address{.host = options_.use_host_name ? node.host_name : node.ip,
                              .port = static_cast<uint16_t>(node.data_port)};
  MUSTER_CO_TRY(std::unique_ptr<net::Stream> socket, co_await deps_.dialer.dial(address));
  auto stream = std::make_unique<DataStream>(deps_.loop, std::move(socket), options_.patience);
  MUSTER_CO_TRY_STATUS(co_await deps_.security.secure(stream.get(), node, std::move(token)));
  co_return stream;
}

rt::Async<Result<std::unique_ptr<DataStream>>> DataNodes::connect(Datanode node, Token token) {
  const std::string what = fmt::format("DataNode {} to accept a connection", node.data_address());
  co_return co_await rt::with_deadline(deps_.loop, deps_.loop.now() + options_.connect_timeout,
                                       what, dial(std::move(node), std::move(token)));
}

rt::Async<Result<uint64_t>> DataNodes::visible_length(LocatedBlock block) {
  pb::GetReplicaVisibleLengthRequestProto request;
  put(block.block, request.mutable_block());
  size_t unknown = 0;
  Error last = cluster_error(fmt::format(
      "no DataNode has the last block {}; its writer may be gone", to_string(block.block)));
  for (const Replica& replica : block.replicas) {
    const std::unique_ptr<rpc::Proxy> proxy = deps_.make_proxy(replica.node, block.token);
    pb::GetReplicaVisibleLengthResponseProto reply;
    const rpc::Method method{"getReplicaVisibleLength", rpc::Repetition::Idempotent};
    rpc::CallOptions options;
    options.deadline = deps_.loop.now() + options_.patience;
    options.fail_fast = true;
    const rpc::Outcome outcome = co_await proxy->call(method, request, reply, options);
    if (outcome.has_value()) {
      // A restarted node does not show what it has until the block has been recovered.
      if (static_cast<int64_t>(reply.length()) >= 0) {
        co_return reply.length();
      }
      last = cluster_error(
          fmt::format("{} does not know how much of it is valid", replica.node.data_address()));
      continue;
    }
    unknown += outcome.error().is("ReplicaNotFoundException") ? 1 : 0;
    last = outcome.error().error;
  }
  if (unknown == block.replicas.size() && block.block.size_bytes == 0) {
    co_return uint64_t{0};
  }
  co_return last.within(fmt::format("cannot determine the length of {}, which is being written",
                                    to_string(block.block)));
}

}  // namespace muster::hadoop::hdfs
