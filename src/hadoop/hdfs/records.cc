#include "hadoop/hdfs/records.h"

#include "hadoop/hdfs/blocks/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace muster::hadoop::hdfs {
namespace {

StorageType to_storage_type(int type) {
  return type >= 1 && type <= 6 ? static_cast<StorageType>(type) : StorageType::Disk;
}

FileType to_file_type(pb::HdfsFileStatusProto::FileType type) {
  switch (type) {
    case pb::HdfsFileStatusProto::IS_DIR:
      return FileType::Folder;
    case pb::HdfsFileStatusProto::IS_FILE:
      return FileType::File;
    case pb::HdfsFileStatusProto::IS_SYMLINK:
      return FileType::Link;
  }
  return FileType::File;
}

/// The policies that come with HDFS, by number; for these only the number is sent.
constexpr uint32_t kReplication = 0;
constexpr std::array<std::string_view, 6> kPolicies = {"replication",   "RS-6-3-1024k",
                                                       "RS-3-2-1024k",  "RS-LEGACY-6-3-1024k",
                                                       "XOR-2-1-1024k", "RS-10-4-1024k"};

std::string policy_name(const pb::ErasureCodingPolicyProto& policy) {
  if (policy.has_name()) {
    return policy.name();
  }
  return policy.id() < kPolicies.size() ? std::string(kPolicies[policy.id()])
                                        : fmt::format("policy {}", policy.id());
}

}  // namespace

void put(const Block& block, pb::ExtendedBlockProto* to) {
  to->set_poolid(block.pool);
  to->set_blockid(block.id);
  to->set_generationstamp(block.generation);
  to->set_numbytes(block.size_bytes);
}

void put(const Datanode& node, pb::DatanodeIDProto* to) {
  to->set_ipaddr(node.ip);
  to->set_hostname(node.host_name);
  to->set_datanodeuuid(node.uuid);
  to->set_xferport(node.data_port);
  to->set_infoport(node.info_port);
  to->set_ipcport(node.ipc_port);
}

void put(const Datanode& node, pb::DatanodeInfoProto* to) {
  put(node, to->mutable_id());
  if (!node.rack.empty()) {
    to->set_location(node.rack);
  }
}

void put(const Token& token, ::hadoop::common::TokenProto* to) {
  to->set_identifier(token.identifier);
  to->set_password(token.password.reveal());
  to->set_kind(token.kind);
  to->set_service(token.service);
}

void put(const LocatedBlock& block, pb::LocatedBlockProto* to) {
  put(block.block, to->mutable_b());
  to->set_offset(block.offset);
  to->set_corrupt(block.corrupt);
  put(block.token, to->mutable_blocktoken());
  for (const Replica& replica : block.replicas) {
    put(replica.node, to->add_locs());
    to->add_storagetypes(to_proto(replica.storage_type));
    to->add_storageids(replica.storage_id);
  }
}

void put(const FileStatus& status, pb::HdfsFileStatusProto* to) {
  to->set_filetype(status.type == FileType::Folder ? pb::HdfsFileStatusProto::IS_DIR
                   : status.type == FileType::Link ? pb::HdfsFileStatusProto::IS_SYMLINK
                                                   : pb::HdfsFileStatusProto::IS_FILE);
  to->set_path(status.name);
  to->set_length(status.size_bytes);
  to->mutable_permission()->set_perm(status.permission);
  to->set_owner(status.owner);
  to->set_group(status.group);
  to->set_modification_time(static_cast<uint64_t>(status.modified_ms));
  to->set_access_time(static_cast<uint64_t>(status.accessed_ms));
  to->set_block_replication(status.replication);
  to->set_blocksize(status.block_bytes);
  to->set_fileid(status.file_id);
  if (status.encrypted) {
    to->mutable_fileencryptioninfo();
  }
}

void put(const Checksum& checksum, pb::ChecksumProto* to) {
  to->set_type(static_cast<pb::ChecksumTypeProto>(checksum.type));
  to->set_bytesperchecksum(checksum.chunk_bytes);
}

pb::StorageTypeProto to_proto(StorageType type) { return static_cast<pb::StorageTypeProto>(type); }

Block take(const pb::ExtendedBlockProto& from) {
  return {from.poolid(), from.blockid(), from.generationstamp(), from.numbytes()};
}

Datanode take(const pb::DatanodeIDProto& from) {
  return {.ip = from.ipaddr(),
          .host_name = from.hostname(),
          .uuid = from.datanodeuuid(),
          .data_port = from.xferport(),
          .info_port = from.infoport(),
          .ipc_port = from.ipcport(),
          .rack = {}};
}

Token take(const ::hadoop::common::TokenProto& from) {
  Token token;
  token.identifier = from.identifier();
  token.password = Secret(from.password());
  token.kind = from.kind();
  token.service = from.service();
  return token;
}

LocatedBlock take(const pb::LocatedBlockProto& from) {
  LocatedBlock block;
  block.block = take(from.b());
  block.offset = from.offset();
  block.corrupt = from.corrupt();
  block.token = take(from.blocktoken());
  for (int i = 0; i < from.locs_size(); ++i) {
    Replica& replica = block.replicas.emplace_back();
    replica.node = take(from.locs(i).id());
    replica.node.rack = from.locs(i).location();
    if (i < from.storagetypes_size()) {
      replica.storage_type = to_storage_type(from.storagetypes(i));
    }
    if (i < from.storageids_size()) {
      replica.storage_id = from.storageids(i);
    }
  }
  return block;
}

LocatedBlocks take(const pb::LocatedBlocksProto& from) {
  LocatedBlocks located;
  located.file_bytes = from.filelength();
  located.encrypted = from.has_fileencryptioninfo();
  if (from.has_ecpolicy() && from.ecpolicy().id() != kReplication) {
    located.erasure_coding = policy_name(from.ecpolicy());
  }
  for (const pb::LocatedBlockProto& block : from.blocks()) {
    // The unfinished block may be among the others, with a meaningless size.
    if (block.offset() < located.file_bytes) {
      located.blocks.push_back(take(block));
    }
  }
  if (from.has_lastblock() && !from.islastblockcomplete()) {
    located.unfinished = take(from.lastblock());
  }
  return located;
}

FileStatus take(const pb::HdfsFileStatusProto& from) {
  FileStatus status;
  status.type = to_file_type(from.filetype());
  status.name = from.path();
  status.size_bytes = from.length();
  status.permission = from.permission().perm() & 07777U;
  status.owner = from.owner();
  status.group = from.group();
  status.modified_ms = static_cast<int64_t>(from.modification_time());
  status.accessed_ms = static_cast<int64_t>(from.access_time());
  status.link_target = from.symlink();
  status.replication = from.block_replication();
  status.block_bytes = from.blocksize();
  status.file_id = from.fileid();
  status.encrypted = from.has_fileencryptioninfo();
  if (from.has_ecpolicy() && from.ecpolicy().id() != kReplication) {
    status.erasure_coding = policy_name(from.ecpolicy());
  }
  return status;
}

Result<ServerDefaults> take(const pb::FsServerDefaultsProto& from) {
  ServerDefaults defaults;
  MUSTER_TRY(defaults.checksum,
             make_checksum(static_cast<uint32_t>(from.checksumtype()), from.bytesperchecksum()));
  if (from.blocksize() == 0 || from.blocksize() % defaults.checksum.chunk_bytes != 0) {
    return cluster_error(
        fmt::format("the NameNode's block size {} is not a multiple of the {} bytes of a checksum; "
                    "fix dfs.blocksize there",
                    from.blocksize(), defaults.checksum.chunk_bytes),
        Errc::Unsupported);
  }
  defaults.block_bytes = from.blocksize();
  defaults.packet_bytes = std::clamp<uint32_t>(from.writepacketsize(), 4096, kPacketBytesMax / 16);
  defaults.replication = from.replication();
  defaults.encrypt_data = from.encryptdatatransfer();
  return defaults;
}

}  // namespace muster::hadoop::hdfs
