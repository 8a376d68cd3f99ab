#pragma once

#include "base/result.h"
#include "hadoop/datatransfer.pb.h"
#include "hadoop/hdfs.pb.h"
#include "hadoop/hdfs/blocks/block.h"

#include <string_view>
#include <vector>

/// Conversions between the messages on the wire and the types of this module. For .cc files only:
/// nothing outside sees the messages.
namespace muster::hadoop::hdfs {

namespace pb = ::hadoop::hdfs;

void put(const Block& block, pb::ExtendedBlockProto* to);
void put(const Datanode& node, pb::DatanodeIDProto* to);
void put(const Datanode& node, pb::DatanodeInfoProto* to);
void put(const Token& token, ::hadoop::common::TokenProto* to);
void put(const LocatedBlock& block, pb::LocatedBlockProto* to);
void put(const FileStatus& status, pb::HdfsFileStatusProto* to);
void put(const Checksum& checksum, pb::ChecksumProto* to);
[[nodiscard]] pb::StorageTypeProto to_proto(StorageType type);

/// Parses what a peer sent; returns false, without a message on standard error, if it is not such a
/// message or lacks a field.
template <class Message>
[[nodiscard]] bool parse(Message& message, std::string_view bytes) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
         message.IsInitialized();
}

[[nodiscard]] Block take(const pb::ExtendedBlockProto& from);
[[nodiscard]] Datanode take(const pb::DatanodeIDProto& from);
[[nodiscard]] Token take(const ::hadoop::common::TokenProto& from);
[[nodiscard]] LocatedBlock take(const pb::LocatedBlockProto& from);
[[nodiscard]] LocatedBlocks take(const pb::LocatedBlocksProto& from);
[[nodiscard]] FileStatus take(const pb::HdfsFileStatusProto& from);
/// Corrupt or Unsupported if the NameNode asks for impossible checksums, packets or blocks.
[[nodiscard]] Result<ServerDefaults> take(const pb::FsServerDefaultsProto& from);

}  // namespace muster::hadoop::hdfs
