#include "hadoop/hdfs/blocks/block_reader.h"

#include "hadoop/hdfs/blocks/packet.h"

#include <fmt/format.h>

#include <utility>

namespace muster::hadoop::hdfs {

BlockReader::BlockReader(std::unique_ptr<DataStream> stream, const ReadOp& op,
                         const OpResponse& response)
    : stream_(std::move(stream)),
      block_(op.block),
      checksum_(response.checksum),
      packet_at_(response.chunk_offset),
      at_(op.offset),
      end_(op.offset + op.length) {}

rt::Async<Result<std::unique_ptr<BlockReader>>> BlockReader::open(
    std::unique_ptr<DataStream> stream, ReadOp op) {
  const std::string request = encode(op);
  std::vector<std::string_view> pieces = {request};
  MUSTER_CO_TRY_STATUS(co_await stream->send(std::move(pieces)));
  MUSTER_CO_TRY(const OpResponse response, co_await read_response(stream.get()));
  if (!response.ok) {
    co_return cluster_error(fmt::format("DataNode {} refuses to send {}: {}", stream->peer(),
                                        to_string(op.block), response.text),
                            response.bad_token ? Errc::Unauthenticated : Errc::Other);
  }
  std::unique_ptr<BlockReader> reader(new BlockReader(std::move(stream), op, response));
  if (response.chunk_offset > op.offset) {
    co_return reader->strange(
        fmt::format("it starts at {} instead of {}", response.chunk_offset, op.offset));
  }
  co_return reader;
}

Error BlockReader::strange(std::string_view what) const {
  return cluster_error(fmt::format("DataNode {} sent a wrong part of {}: {}", stream_->peer(),
                                   to_string(block_), what),
                       Errc::Corrupt);
}

rt::Async<Result<std::string_view>> BlockReader::next() {
  while (at_ < end_) {
    MUSTER_CO_TRY(std::string_view data, co_await next_packet());
    const uint64_t begin = packet_at_ - data.size();
    if (packet_at_ <= at_) {
      continue;
    }
    data.remove_prefix(at_ - begin);  // The first packet begins with its chunk.
    data = data.substr(0, end_ - at_);
    at_ += data.size();
    co_return data;
  }
  if (!finished_) {
    finished_ = true;
    co_await finish();
  }
  co_return std::string_view();
}

rt::Async<Result<std::string_view>> BlockReader::next_packet() {
  MUSTER_CO_TRY(const std::string_view start, co_await stream_->take(kPacketLengths));
  MUSTER_CO_TRY(const PacketLengths lengths, decode_packet_lengths(start));
  MUSTER_CO_TRY(const std::string_view head, co_await stream_->take(lengths.header_bytes));
  MUSTER_CO_TRY(const PacketHeader header, decode_packet_header(head, lengths.body_bytes));
  MUSTER_CO_TRY(const std::string_view body, co_await stream_->take(lengths.body_bytes));
  if (header.data_bytes == 0) {
    if (header.last_in_block) {
      co_return strange(
          fmt::format("it ends at {}, {} bytes too early", packet_at_, end_ - packet_at_));
    }
    co_return std::string_view();
  }
  if (header.offset_in_block < 0 || static_cast<uint64_t>(header.offset_in_block) != packet_at_) {
    co_return strange(
        fmt::format("byte {} where {} was expected", header.offset_in_block, packet_at_));
  }
  const size_t sums_bytes = checksum_.sums_bytes(header.data_bytes);
  if (sums_bytes + header.data_bytes != lengths.body_bytes) {
    co_return strange(fmt::format("{} bytes of checksums where {} were expected",
                                  lengths.body_bytes - header.data_bytes, sums_bytes));
  }
  const std::string_view data = body.substr(sums_bytes);
  if (const auto damage = find_damage(checksum_, data, body.substr(0, sums_bytes))) {
    found_damage_ = true;
    co_return cluster_error(
        fmt::format("the replica of {} on DataNode {} is damaged at byte {}: its checksum does not "
                    "match",
                    to_string(block_), stream_->peer(), packet_at_ + *damage),
        Errc::Corrupt);
  }
  packet_at_ += data.size();
  co_return data;
}

rt::Async<> BlockReader::finish() {
  // The data is complete and correct: what goes wrong from here on does not concern the reader.
  const Result<std::string_view> start = co_await stream_->take(kPacketLengths);
  if (!start.has_value()) {
    co_return;
  }
  const Result<PacketLengths> lengths = decode_packet_lengths(*start);
  if (!lengths.has_value()) {
    co_return;
  }
  const Result<std::string_view> head = co_await stream_->take(lengths->header_bytes);
  if (!head.has_value()) {
    co_return;
  }
  const Result<PacketHeader> header = decode_packet_header(*head, lengths->body_bytes);
  if (!header.has_value() || !header->last_in_block || lengths->body_bytes != 0) {
    co_return;
  }
  const std::string status = encode_checksums_right();
  std::vector<std::string_view> pieces = {status};
  const Status sent = co_await stream_->send(std::move(pieces));
  reusable_ = sent.has_value();
}

std::unique_ptr<DataStream> BlockReader::take_stream() {
  return reusable_ ? std::move(stream_) : nullptr;
}

}  // namespace muster::hadoop::hdfs
