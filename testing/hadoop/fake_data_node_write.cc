#include "hadoop/hdfs/blocks/pipeline.h"
#include "hadoop/hdfs/blocks/varint.h"
#include "hadoop/hdfs/records.h"
#include "testing/hadoop/fake_data_node.h"
#include "testing/hadoop/fake_transfer.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;
namespace pb = hdfs::pb;

/// One block on its way through this node.
struct FakeDataNode::Write {
  hdfs::DataStream* client = nullptr;
  pb::OpWriteBlockProto op;
  std::unique_ptr<hdfs::DataStream> next;  ///< To the rest of the pipeline.
  int packets = 0;

  [[nodiscard]] uint64_t id() const { return op.header().baseheader().block().blockid(); }
};

/// Brings the replica into the state that the stage requires; returns false if that is impossible.
bool FakeDataNode::prepare(Write& write) {
  const uint64_t generation = write.op.latestgenerationstamp();
  if (write.op.stage() == pb::OpWriteBlockProto::PIPELINE_SETUP_CREATE) {
    return replicas.try_emplace(write.id(), Replica{generation, {}, false}).second;
  }
  if (faults.die_at_recovery) {
    die();
    return false;
  }
  const auto found = replicas.find(write.id());
  if (found == replicas.end() || generation <= found->second.generation ||
      found->second.bytes.size() < write.op.minbytesrcvd() ||
      found->second.bytes.size() > write.op.maxbytesrcvd()) {
    return false;
  }
  found->second.generation = generation;
  found->second.finalized = write.op.stage() == pb::OpWriteBlockProto::PIPELINE_CLOSE_RECOVERY;
  return true;
}

rt::Async<Status> FakeDataNode::open_next(Write* write, std::string message) {
  pb::OpWriteBlockProto op;
  op.ParseFromString(message);
  const hdfs::Datanode next = hdfs::take(op.targets(0).id());
  op.mutable_targets()->DeleteSubrange(0, 1);
  MUSTER_CO_TRY(auto socket, co_await net_->dial({.host = next.ip, .port = 9866}));
  write->next = std::make_unique<hdfs::DataStream>(*loop_, std::move(socket), kPatience);
  std::string request("\x00\x1c\x50", 3);
  hdfs::put_varint(request, op.ByteSizeLong());
  op.AppendToString(&request);
  std::vector<std::string_view> pieces = {request};
  MUSTER_CO_TRY_STATUS(co_await write->next->send(std::move(pieces)));
  MUSTER_CO_TRY(const hdfs::OpResponse response, co_await hdfs::read_response(write->next.get()));
  if (!response.ok) {
    co_return cluster_error(response.first_bad_link.empty() ? next.data_address()
                                                            : response.first_bad_link);
  }
  co_return Status();
}

rt::Async<Status> FakeDataNode::write_block(hdfs::DataStream* stream, std::string message) {
  ++writes;
  Write write;
  write.client = stream;
  write.op.ParseFromString(message);
  if (faults.stale_tokens > 0) {
    --faults.stale_tokens;
    co_return co_await send_response(stream, pb::ERROR_ACCESS_TOKEN, "");
  }
  if (faults.refuse_writes || !prepare(write)) {
    co_return co_await send_response(stream, pb::ERROR, "");
  }
  if (write.op.targets_size() > 0) {
    const std::string bad = hdfs::take(write.op.targets(0).id()).data_address();
    const Status opened = co_await open_next(&write, std::move(message));
    if (!opened.has_value()) {
      const bool named = opened.error().message.starts_with("10.");
      co_return co_await send_response(stream, pb::ERROR, named ? opened.error().message : bad);
    }
  }
  MUSTER_CO_TRY_STATUS(co_await send_response(stream, pb::SUCCESS, ""));
  if (write.op.stage() == pb::OpWriteBlockProto::PIPELINE_CLOSE_RECOVERY) {
    co_return Status();
  }
  co_return co_await receive(&write);
}

rt::Async<Status> FakeDataNode::receive(Write* write) {
  bool last = false;
  while (!last) {
    MUSTER_CO_TRY_STATUS(co_await take_packet(write, &last));
  }
  co_return Status();
}

rt::Async<Status> FakeDataNode::take_packet(Write* write, bool* last) {
  MUSTER_CO_TRY(const hdfs::Packet packet, co_await read_packet(write->client));
  const int64_t sequence = packet.header.sequence;
  *last = packet.header.last_in_block;
  if (sequence == hdfs::kHeartbeatSequence) {
    ++heartbeats;
  } else {
    const bool dies =
        (faults.die_at_packet.has_value() && write->packets == *faults.die_at_packet) ||
        (*last && faults.die_at_last_packet);
    if (dies) {
      faults.die_at_packet.reset();
      die();
      co_return cluster_error("dead");
    }
    if (faults.restart_at_packet_2 && write->packets == 2) {
      faults.restart_at_packet_2 = false;
      co_return co_await send_ack(write->client, sequence, {pb::OOB_RESTART});
    }
    ++write->packets;
    Replica& replica = replicas[write->id()];
    const auto offset = static_cast<size_t>(packet.header.offset_in_block);
    if (offset > replica.bytes.size() || (!packet.data.empty() && offset % 512 != 0)) {
      co_return cluster_error("a hole in the block");
    }
    replica.bytes.replace(offset, packet.data.size(), packet.data);
    replica.finalized = *last;
  }
  if (write->next != nullptr) {
    const Status passed = co_await send_packet(write->next.get(), &packet);
    if (!passed.has_value()) {
      co_return co_await send_ack(write->client, sequence, {pb::SUCCESS, pb::ERROR});
    }
  }
  co_return co_await acknowledge(write, sequence, *last);
}

rt::Async<Status> FakeDataNode::acknowledge(Write* write, int64_t sequence, bool) {
  std::vector<int> statuses = {pb::SUCCESS};
  if (write->next != nullptr) {
    const Result<std::string_view> bytes = co_await write->next->take_delimited(1U << 16);
    pb::PipelineAckProto ack;
    if (!bytes.has_value() || !ack.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) {
      statuses.push_back(pb::ERROR);
    }
    for (const int status : ack.reply()) {
      statuses.push_back(status);
    }
  }
  MUSTER_CO_TRY_STATUS(co_await send_ack(write->client, sequence, statuses));
  const bool broken =
      std::ranges::any_of(statuses, [](int status) { return status != pb::SUCCESS; });
  co_return broken ? Status(cluster_error("the pipeline is broken")) : Status();
}

rt::Async<Status> FakeDataNode::copy_block(hdfs::DataStream* stream, std::string message) {
  pb::OpTransferBlockProto op;
  op.ParseFromString(message);
  const hdfs::Block block = hdfs::take(op.header().baseheader().block());
  const auto found = replicas.find(block.id);
  if (found == replicas.end() || faults.refuse_copies) {
    co_return co_await send_response(stream, pb::ERROR, "");
  }
  if (copy_to) {
    copy_to(hdfs::take(op.targets(0).id()), block.id, found->second);
  }
  co_return co_await send_response(stream, pb::SUCCESS, "");
}

}  // namespace muster::testing
