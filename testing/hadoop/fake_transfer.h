#pragma once

#include "hadoop/hdfs/blocks/data_stream.h"
#include "hadoop/hdfs/blocks/packet_cutter.h"
#include "rt/async.h"

#include <cstdint>
#include <string>
#include <vector>

/// The DataNode's side of the transfer protocol, for FakeDataNode.
namespace muster::testing {

/// Makes a packet with correct checksums; `offset` begins a chunk.
[[nodiscard]] hadoop::hdfs::Packet make_packet(const hadoop::hdfs::Checksum& checksum,
                                               std::string data, uint64_t offset, int64_t sequence);
[[nodiscard]] rt::Async<Status> send_packet(hadoop::hdfs::DataStream* stream,
                                            const hadoop::hdfs::Packet* packet);
/// Reads one packet and checks its checksums.
[[nodiscard]] rt::Async<Result<hadoop::hdfs::Packet>> read_packet(hadoop::hdfs::DataStream* stream);

/// `status` is a value of the wire's Status.
[[nodiscard]] rt::Async<Status> send_response(hadoop::hdfs::DataStream* stream, int status,
                                              std::string first_bad_link);
[[nodiscard]] rt::Async<Status> send_read_response(hadoop::hdfs::DataStream* stream,
                                                   hadoop::hdfs::Checksum checksum,
                                                   uint64_t chunk_offset);
/// Sends one status for each node of the pipeline from this one on.
[[nodiscard]] rt::Async<Status> send_ack(hadoop::hdfs::DataStream* stream, int64_t sequence,
                                         std::vector<int> statuses);

}  // namespace muster::testing
