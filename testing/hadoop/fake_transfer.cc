#include "testing/hadoop/fake_transfer.h"

#include "hadoop/hdfs/blocks/varint.h"
#include "hadoop/hdfs/records.h"

#include <utility>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;
namespace pb = hdfs::pb;

namespace {

rt::Async<Status> send_message(hdfs::DataStream* stream, std::string message) {
  std::string length;
  hdfs::put_varint(length, message.size());
  std::vector<std::string_view> pieces = {length, message};
  co_return co_await stream->send(std::move(pieces));
}

}  // namespace

hdfs::Packet make_packet(const hdfs::Checksum& checksum, std::string data, uint64_t offset,
                         int64_t sequence) {
  hdfs::Packet packet;
  packet.header = {.offset_in_block = static_cast<int64_t>(offset),
                   .sequence = sequence,
                   .last_in_block = false,
                   .data_bytes = static_cast<uint32_t>(data.size()),
                   .sync = false};
  packet.sums.resize(checksum.sums_bytes(data.size()));
  hdfs::sum_chunks(checksum, data, packet.sums);
  packet.data = std::move(data);
  return packet;
}

rt::Async<Status> send_packet(hdfs::DataStream* stream, const hdfs::Packet* packet) {
  const std::string start = hdfs::encode_packet_start(packet->header, packet->sums.size());
  std::vector<std::string_view> pieces = {
      start, std::string_view(packet->sums.data(), packet->sums.size()), packet->data};
  co_return co_await stream->send(std::move(pieces));
}

rt::Async<Result<hdfs::Packet>> read_packet(hdfs::DataStream* stream) {
  MUSTER_CO_TRY(const std::string_view start, co_await stream->take(hdfs::kPacketLengths));
  MUSTER_CO_TRY(const hdfs::PacketLengths lengths, hdfs::decode_packet_lengths(start));
  MUSTER_CO_TRY(const std::string_view head, co_await stream->take(lengths.header_bytes));
  hdfs::Packet packet;
  MUSTER_CO_TRY(packet.header, hdfs::decode_packet_header(head, lengths.body_bytes));
  MUSTER_CO_TRY(const std::string_view body, co_await stream->take(lengths.body_bytes));
  const size_t sums_bytes = body.size() - packet.header.data_bytes;
  packet.sums.assign(body.begin(), body.begin() + static_cast<ptrdiff_t>(sums_bytes));
  packet.data = body.substr(sums_bytes);
  const hdfs::Checksum checksum;
  if (sums_bytes != checksum.sums_bytes(packet.data.size()) ||
      hdfs::find_damage(checksum, packet.data, body.substr(0, sums_bytes)).has_value()) {
    co_return cluster_error("a packet with wrong checksums", Errc::Corrupt);
  }
  co_return packet;
}

rt::Async<Status> send_response(hdfs::DataStream* stream, int status, std::string first_bad_link) {
  pb::BlockOpResponseProto response;
  response.set_status(static_cast<pb::Status>(status));
  response.set_firstbadlink(first_bad_link);
  co_return co_await send_message(stream, response.SerializeAsString());
}

rt::Async<Status> send_read_response(hdfs::DataStream* stream, hdfs::Checksum checksum,
                                     uint64_t chunk_offset) {
  pb::BlockOpResponseProto response;
  response.set_status(pb::SUCCESS);
  hdfs::put(checksum, response.mutable_readopchecksuminfo()->mutable_checksum());
  response.mutable_readopchecksuminfo()->set_chunkoffset(chunk_offset);
  co_return co_await send_message(stream, response.SerializeAsString());
}

rt::Async<Status> send_ack(hdfs::DataStream* stream, int64_t sequence, std::vector<int> statuses) {
  pb::PipelineAckProto ack;
  ack.set_seqno(sequence);
  for (const int status : statuses) {
    ack.add_reply(static_cast<pb::Status>(status));
  }
  co_return co_await send_message(stream, ack.SerializeAsString());
}

}  // namespace muster::testing
