#include "base/text.h"
#include "hadoop/hdfs/locate_pauses.h"
#include "hadoop/hdfs/name_node.h"
#include "hadoop/hdfs/name_node_call.h"
#include "hadoop/hdfs/records.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {
namespace {

using rpc::Method;
using rpc::Repetition;

constexpr uint32_t kCreate = 1;
constexpr uint32_t kOverwrite = 2;
/// Write replicas even where the folder has an erasure-coding policy.
constexpr uint32_t kShouldReplicate = 128;
/// How often the NameNode may ask to begin a create() anew.
constexpr int kCreateRetriesMax = 10;

LocatePauses locate_pauses(const NameNodeOptions& options) {
  return {options.locate_retries_max, options.locate_delay, options.locate_delay_max};
}

std::string writing(const std::string& path) { return "cannot write " + printable(path); }

}  // namespace

rt::Async<Result<LocatedBlocks>> NameNode::locate(std::string path, uint64_t offset,
                                                  uint64_t length) {
  pb::GetBlockLocationsRequestProto request;
  request.set_src(path);
  request.set_offset(offset);
  request.set_length(length);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetBlockLocationsResponseProto>(
                                      Method{"getBlockLocations", Repetition::Idempotent}, request,
                                      "cannot read " + printable(path)));
  if (!reply.has_locations()) {
    co_return user_error(fmt::format("{} does not exist", printable(path)), Errc::NotFound);
  }
  co_return take(reply.locations());
}

rt::Async<Status> NameNode::report_damaged(LocatedBlock block) {
  pb::ReportBadBlocksRequestProto request;
  put(block, request.add_blocks());
  MUSTER_CO_TRY_STATUS(co_await ask<pb::ReportBadBlocksResponseProto>(
      Method{"reportBadBlocks", Repetition::Idempotent}, request,
      "cannot report a damaged replica"));
  co_return Status();
}

rt::Async<Result<FileStatus>> NameNode::create(std::string path, CreateOptions options) {
  pb::CreateRequestProto request;
  request.set_src(path);
  request.mutable_masked()->set_perm(options.permission);
  request.set_clientname(options_.client_name);
  request.set_createflag(kCreate | (options.overwrite ? kOverwrite : 0) | kShouldReplicate);
  request.set_createparent(options.parents);
  request.set_replication(options.replication);
  request.set_blocksize(options.block_bytes);
  request.add_cryptoprotocolversion(pb::ENCRYPTION_ZONES);
  for (int attempt = 0;; ++attempt) {
    auto reply =
        co_await call<pb::CreateResponseProto>(Method{"create", Repetition::AtMostOnce}, request);
    if (!reply.has_value()) {
      if (reply.error().is("RetryStartFileException") && attempt < kCreateRetriesMax) {
        continue;
      }
      co_return explain(reply.error(), writing(path));
    }
    if (!reply->has_fs()) {
      co_return cluster_error(
          fmt::format("{}: the NameNode is older than Hadoop 2.4", writing(path)),
          Errc::Unsupported);
    }
    co_return take(reply->fs());
  }
}

rt::Async<Result<LocatedBlock>> NameNode::add_block(OpenFile file, std::optional<Block> previous,
                                                    std::vector<Datanode> excluded) {
  pb::AddBlockRequestProto request;
  request.set_src(file.path);
  request.set_clientname(options_.client_name);
  request.set_fileid(file.file_id);
  if (previous.has_value()) {
    put(*previous, request.mutable_previous());
  }
  for (const Datanode& node : excluded) {
    put(node, request.add_excludenodes());
  }
  LocatePauses pauses = locate_pauses(options_);
  while (true) {
    auto reply = co_await call<pb::AddBlockResponseProto>(
        Method{"addBlock", Repetition::Idempotent}, request);
    if (reply.has_value()) {
      co_return take(reply->block());
    }
    const auto pause = reply.error().is("NotReplicatedYetException") ? pauses.next() : std::nullopt;
    if (!pause) {
      co_return explain(reply.error(), writing(file.path));
    }
    co_await rt::pause_for(*loop_, *pause);
  }
}

rt::Async<Status> NameNode::abandon_block(OpenFile file, Block block) {
  pb::AbandonBlockRequestProto request;
  put(block, request.mutable_b());
  request.set_src(file.path);
  request.set_holder(options_.client_name);
  request.set_fileid(file.file_id);
  MUSTER_CO_TRY_STATUS(co_await ask<pb::AbandonBlockResponseProto>(
      Method{"abandonBlock", Repetition::Idempotent}, request, writing(file.path)));
  co_return Status();
}

rt::Async<Result<LocatedBlock>> NameNode::additional_datanode(OpenFile file, Block block,
                                                              std::vector<Replica> existing,
                                                              std::vector<Datanode> excluded) {
  pb::GetAdditionalDatanodeRequestProto request;
  request.set_src(file.path);
  put(block, request.mutable_blk());
  for (const Replica& replica : existing) {
    put(replica.node, request.add_existings());
    request.add_existingstorageuuids(replica.storage_id);
  }
  for (const Datanode& node : excluded) {
    put(node, request.add_excludes());
  }
  request.set_numadditionalnodes(1);
  request.set_clientname(options_.client_name);
  request.set_fileid(file.file_id);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetAdditionalDatanodeResponseProto>(
                                      Method{"getAdditionalDatanode", Repetition::Idempotent},
                                      request, writing(file.path)));
  co_return take(reply.block());
}

rt::Async<Result<LocatedBlock>> NameNode::new_generation(OpenFile file, Block block) {
  pb::UpdateBlockForPipelineRequestProto request;
  put(block, request.mutable_block());
  request.set_clientname(options_.client_name);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::UpdateBlockForPipelineResponseProto>(
                                      Method{"updateBlockForPipeline", Repetition::Idempotent},
                                      request, writing(file.path)));
  co_return take(reply.block());
}

rt::Async<Status> NameNode::update_pipeline(OpenFile file, PipelineChange change) {
  pb::UpdatePipelineRequestProto request;
  request.set_clientname(options_.client_name);
  put(change.old_block, request.mutable_oldblock());
  put(change.new_block, request.mutable_newblock());
  for (const Replica& replica : change.replicas) {
    put(replica.node, request.add_newnodes());
    request.add_storageids(replica.storage_id);
  }
  MUSTER_CO_TRY_STATUS(co_await ask<pb::UpdatePipelineResponseProto>(
      Method{"updatePipeline", Repetition::AtMostOnce}, request, writing(file.path)));
  co_return Status();
}

rt::Async<Status> NameNode::sync(OpenFile file, uint64_t last_block_bytes) {
  pb::FsyncRequestProto request;
  request.set_src(file.path);
  request.set_client(options_.client_name);
  request.set_lastblocklength(static_cast<int64_t>(last_block_bytes));
  request.set_fileid(file.file_id);
  MUSTER_CO_TRY_STATUS(co_await ask<pb::FsyncResponseProto>(Method{"fsync", Repetition::Idempotent},
                                                            request, writing(file.path)));
  co_return Status();
}

rt::Async<Status> NameNode::complete(OpenFile file, std::optional<Block> last) {
  pb::CompleteRequestProto request;
  request.set_src(file.path);
  request.set_clientname(options_.client_name);
  request.set_fileid(file.file_id);
  if (last.has_value()) {
    put(*last, request.mutable_last());
  }
  LocatePauses pauses = locate_pauses(options_);
  while (true) {
    MUSTER_CO_TRY(const auto reply, co_await ask<pb::CompleteResponseProto>(
                                        Method{"complete", Repetition::Idempotent}, request,
                                        "cannot close " + printable(file.path)));
    if (reply.result()) {
      co_return Status();
    }
    const auto pause = pauses.next();
    if (!pause) {
      co_return cluster_error(
          fmt::format(
              "cannot close {}: too few DataNodes have reported its last block {}; its data "
              "has been written, and the NameNode closes the file when they do",
              printable(file.path), last ? to_string(*last) : std::string("(none)")),
          Errc::Unavailable);
    }
    co_await rt::pause_for(*loop_, *pause);
  }
}

rt::Async<Status> NameNode::renew_lease() {
  pb::RenewLeaseRequestProto request;
  request.set_clientname(options_.client_name);
  MUSTER_CO_TRY_STATUS(co_await ask<pb::RenewLeaseResponseProto>(
      Method{"renewLease", Repetition::Idempotent}, request, "cannot keep files open"));
  co_return Status();
}

rt::Async<Result<bool>> NameNode::recover_lease(std::string path) {
  pb::RecoverLeaseRequestProto request;
  request.set_src(path);
  request.set_clientname(options_.client_name);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::RecoverLeaseResponseProto>(
                                      Method{"recoverLease", Repetition::Idempotent}, request,
                                      "cannot close " + printable(path)));
  co_return reply.result();
}

}  // namespace muster::hadoop::hdfs
