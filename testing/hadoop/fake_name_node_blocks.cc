#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs/records.h"
#include "testing/hadoop/encoded.h"
#include "testing/hadoop/fake_name_node.h"

#include <algorithm>
#include <utility>

namespace muster::testing {

namespace hdfs = hadoop::hdfs;
namespace pb = hdfs::pb;

namespace {

FakeNameNode::Refusal lease_expired(const std::string& path) {
  return {"org.apache.hadoop.hdfs.server.namenode.LeaseExpiredException", "No lease on " + path};
}

}  // namespace

FakeNameNode::Reply FakeNameNode::handle_blocks(std::string_view method,
                                                const std::string& request) {
  if (method == "create") {
    return create(request);
  }
  if (method == "addBlock") {
    return add_block(request);
  }
  if (method == "complete") {
    return complete(request);
  }
  if (method == "getBlockLocations") {
    return locate(request);
  }
  if (method == "updatePipeline") {
    return update_pipeline(request);
  }
  if (method == "getAdditionalDatanode") {
    return additional_datanode(request);
  }
  if (method == "updateBlockForPipeline") {
    hdfs::Block block = hdfs::take(parsed<pb::UpdateBlockForPipelineRequestProto>(request).block());
    block.generation = ++last_generation_;
    pb::UpdateBlockForPipelineResponseProto reply;
    put(hdfs::LocatedBlock{.block = block}, reply.mutable_block());
    return reply.SerializeAsString();
  }
  if (method == "abandonBlock") {
    const auto asked = parsed<pb::AbandonBlockRequestProto>(request);
    if (File* file = open_file(asked.src(), asked.holder())) {
      std::erase_if(file->blocks,
                    [&](const hdfs::Block& b) { return b.id == asked.b().blockid(); });
    }
    return pb::AbandonBlockResponseProto().SerializeAsString();
  }
  if (method == "reportBadBlocks") {
    for (const auto& node : parsed<pb::ReportBadBlocksRequestProto>(request).blocks(0).locs()) {
      damaged_on.push_back(node.id().datanodeuuid());
    }
    return std::string();
  }
  if (method == "fsync") {
    const auto asked = parsed<pb::FsyncRequestProto>(request);
    synced_bytes.push_back(static_cast<uint64_t>(asked.lastblocklength()));
    return std::string();
  }
  if (method == "getServerDefaults") {
    pb::GetServerDefaultsResponseProto reply;
    pb::FsServerDefaultsProto& defaults = *reply.mutable_serverdefaults();
    defaults.set_blocksize(128U << 20);
    defaults.set_bytesperchecksum(512);
    defaults.set_writepacketsize(65536);
    defaults.set_replication(3);
    defaults.set_filebuffersize(4096);
    defaults.set_checksumtype(pb::CHECKSUM_CRC32C);
    return reply.SerializeAsString();
  }
  if (method == "renewLease") {
    return std::string();
  }
  return std::unexpected(Refusal{"org.apache.hadoop.ipc.RpcNoSuchMethodException",
                                 "Unknown method " + std::string(method)});
}

FakeNameNode::Reply FakeNameNode::create(const std::string& request) {
  const auto asked = parsed<pb::CreateRequestProto>(request);
  if (files.contains(asked.src()) && (asked.createflag() & 2U) == 0) {
    return std::unexpected(
        Refusal{"org.apache.hadoop.fs.FileAlreadyExistsException", asked.src() + " exists"});
  }
  File file;
  file.holder = asked.clientname();
  file.status.name = hdfs::base_name(asked.src());
  file.status.replication = asked.replication();
  file.status.block_bytes = asked.blocksize();
  file.status.permission = asked.masked().perm();
  file.status.file_id = ++last_id_;
  file.status.encrypted = encrypted;
  pb::CreateResponseProto reply;
  put(file.status, reply.mutable_fs());
  files[asked.src()] = std::move(file);
  return reply.SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::add_block(const std::string& request) {
  const auto asked = parsed<pb::AddBlockRequestProto>(request);
  File* file = open_file(asked.src(), asked.clientname());
  if (file == nullptr) {
    return std::unexpected(lease_expired(asked.src()));
  }
  const bool matches = file->blocks.empty() == !asked.has_previous();
  if (!matches) {
    return std::unexpected(Refusal{"java.io.IOException", "previous is not the last block"});
  }
  if (asked.has_previous()) {
    file->blocks.back() = hdfs::take(asked.previous());
  }
  hdfs::LocatedBlock block{.block = {"pool", ++last_id_, ++last_generation_, 0}};
  for (const FakeDataNode* node : nodes_) {
    const bool excluded = std::ranges::any_of(asked.excludenodes(), [&](const auto& other) {
      return other.id().datanodeuuid() == node->node().uuid;
    });
    if (!excluded && block.replicas.size() < file->status.replication) {
      block.replicas.push_back({node->node(), hdfs::StorageType::Disk, "s-" + node->node().uuid});
    }
  }
  if (block.replicas.empty()) {
    return std::unexpected(Refusal{
        "java.io.IOException", "File could only be written to 0 of the 1 minReplication nodes"});
  }
  file->blocks.push_back(block.block);
  pb::AddBlockResponseProto reply;
  put(block, reply.mutable_block());
  return reply.SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::complete(const std::string& request) {
  const auto asked = parsed<pb::CompleteRequestProto>(request);
  File* file = open_file(asked.src(), asked.clientname());
  if (file == nullptr) {
    return std::unexpected(lease_expired(asked.src()));
  }
  pb::CompleteResponseProto reply;
  reply.set_result(complete_refusals <= 0);
  if (complete_refusals-- > 0) {
    return reply.SerializeAsString();
  }
  complete_refusals = 0;
  if (asked.has_last()) {
    file->blocks.back() = hdfs::take(asked.last());
  }
  file->status.size_bytes = 0;
  for (const hdfs::Block& block : file->blocks) {
    file->status.size_bytes += block.size_bytes;
  }
  file->holder.clear();
  return reply.SerializeAsString();
}

hdfs::LocatedBlock FakeNameNode::located(const hdfs::Block& block, uint64_t offset) const {
  hdfs::LocatedBlock found{.block = block, .offset = offset};
  for (const FakeDataNode* node : nodes_) {
    const auto replica = node->replicas.find(block.id);
    if (replica != node->replicas.end() && replica->second.generation == block.generation) {
      found.replicas.push_back({node->node(), hdfs::StorageType::Disk, "s-" + node->node().uuid});
    }
  }
  return found;
}

FakeNameNode::Reply FakeNameNode::locate(const std::string& request) {
  const auto asked = parsed<pb::GetBlockLocationsRequestProto>(request);
  pb::GetBlockLocationsResponseProto reply;
  const auto found = files.find(asked.src());
  if (found == files.end()) {
    return std::unexpected(
        Refusal{"java.io.FileNotFoundException", "File does not exist: " + asked.src()});
  }
  const File& file = found->second;
  pb::LocatedBlocksProto& blocks = *reply.mutable_locations();
  blocks.set_underconstruction(!file.holder.empty());
  blocks.set_islastblockcomplete(file.holder.empty());
  if (erasure_coded) {
    blocks.mutable_ecpolicy()->set_id(1);
    blocks.mutable_ecpolicy()->set_name("RS-6-3-1024k");
  }
  uint64_t offset = 0;
  for (const hdfs::Block& block : file.blocks) {
    const bool last = &block == &file.blocks.back();
    const bool finished = !last || file.holder.empty();
    if (!finished || last) {
      put(located(block, offset), blocks.mutable_lastblock());
    }
    if (finished && offset < asked.offset() + asked.length() &&
        asked.offset() < offset + block.size_bytes) {
      put(located(block, offset), blocks.add_blocks());
    }
    offset += finished ? block.size_bytes : 0;
  }
  blocks.set_filelength(offset);
  return reply.SerializeAsString();
}

FakeNameNode::Reply FakeNameNode::update_pipeline(const std::string& request) {
  const auto asked = parsed<pb::UpdatePipelineRequestProto>(request);
  for (auto& [path, file] : files) {
    for (hdfs::Block& block : file.blocks) {
      if (block.id == asked.newblock().blockid() && file.holder == asked.clientname()) {
        block = hdfs::take(asked.newblock());
      }
    }
  }
  return std::string();
}

FakeNameNode::Reply FakeNameNode::additional_datanode(const std::string& request) {
  const auto asked = parsed<pb::GetAdditionalDatanodeRequestProto>(request);
  hdfs::LocatedBlock block{.block = hdfs::take(asked.blk())};
  for (const auto& node : asked.existings()) {
    block.replicas.push_back({hdfs::take(node.id()), hdfs::StorageType::Disk, "s"});
  }
  for (const FakeDataNode* node : nodes_) {
    const auto same = [&](const auto& other) {
      return other.id().datanodeuuid() == node->node().uuid;
    };
    if (node->alive() && std::ranges::none_of(asked.existings(), same) &&
        std::ranges::none_of(asked.excludes(), same)) {
      block.replicas.push_back({node->node(), hdfs::StorageType::Disk, "s"});
      break;
    }
  }
  pb::GetAdditionalDatanodeResponseProto reply;
  put(block, reply.mutable_block());
  return reply.SerializeAsString();
}

}  // namespace muster::testing
