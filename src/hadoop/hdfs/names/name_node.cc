#include "hadoop/hdfs/names/name_node.h"

#include "base/text.h"
#include "hadoop/hdfs/names/locate_pauses.h"
#include "hadoop/hdfs/records.h"
#include "hadoop/security.pb.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {

namespace {

using rpc::Method;
using rpc::Repetition;

/// The pause between two attempts of a call that waits for a NameNode in safe mode.
constexpr Duration kSafeModePauseMax = std::chrono::seconds(3);

constexpr uint32_t kCreate = 1;
constexpr uint32_t kOverwrite = 2;
/// Write replicas even where the folder has an erasure-coding policy.
constexpr uint32_t kShouldReplicate = 128;
/// How often the NameNode may ask for create() to start over.
constexpr int kCreateRetriesMax = 10;

LocatePauses locate_pauses(const NameNodeOptions& options) {
  return {options.locate_retries_max, options.locate_delay, options.locate_delay_max};
}

std::string writing(const std::string& path) { return "cannot write " + printable(path); }

/// A copied file takes its local name from a listing: the name must not lead elsewhere. If a file
/// itself is listed, its name is empty.
bool is_name(std::string_view name) {
  return name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

NameNode::NameNode(rt::Loop& loop, std::unique_ptr<rpc::Proxy> proxy, NameNodeOptions options)
    : loop_(&loop), proxy_(std::move(proxy)), options_(std::move(options)) {}

NameNode::~NameNode() = default;

template <class Reply, class Request>
rt::Async<std::expected<Reply, rpc::Failure>> NameNode::call(rpc::Method method, Request request) {
  const HostTime give_up = loop_->now() + options_.safe_mode_wait;
  Duration pause = std::chrono::milliseconds(250);
  while (true) {
    Reply reply;
    rpc::Outcome outcome = co_await proxy_->call(method, request, reply);
    if (outcome.has_value()) {
      tell_wait("");
      co_return reply;
    }
    const rpc::Failure& failure = outcome.error();
    const bool again = failure.is("SafeModeException") || failure.is("RetriableException");
    if (!again || loop_->now() + pause >= give_up) {
      tell_wait("");
      co_return std::unexpected(std::move(outcome).error());
    }
    tell_wait("the NameNode is in safe mode");
    co_await rt::pause_for(*loop_, pause);
    pause = std::min(pause * 2, kSafeModePauseMax);
  }
}

template <class Reply, class Request>
rt::Async<Result<Reply>> NameNode::ask(rpc::Method method, Request request, std::string what) {
  auto reply = co_await call<Reply>(method, std::move(request));
  if (!reply.has_value()) {
    co_return explain(reply.error(), what);
  }
  co_return *std::move(reply);
}

void NameNode::tell_wait(std::string_view why) const {
  if (options_.on_wait) {
    options_.on_wait(why);
  }
}

rt::Async<Result<std::optional<FileStatus>>> NameNode::stat(std::string path) {
  pb::GetFileInfoRequestProto request;
  request.set_src(path);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetFileInfoResponseProto>(
                                      Method{"getFileInfo", Repetition::Idempotent}, request,
                                      "cannot inspect " + printable(path)));
  if (!reply.has_fs()) {
    co_return std::optional<FileStatus>();
  }
  co_return std::optional<FileStatus>(take(reply.fs()));
}

rt::Async<Result<ListingPage>> NameNode::list_page(std::string path, std::string start_after) {
  pb::GetListingRequestProto request;
  request.set_src(path);
  request.set_startafter(start_after);
  request.set_needlocation(false);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetListingResponseProto>(
                                      Method{"getListing", Repetition::Idempotent}, request,
                                      "cannot list " + printable(path)));
  if (!reply.has_dirlist()) {
    co_return user_error(fmt::format("{} does not exist", printable(path)), Errc::NotFound);
  }
  ListingPage page;
  page.more = reply.dirlist().remainingentries() > 0;
  page.entries.reserve(static_cast<size_t>(reply.dirlist().partiallisting_size()));
  for (const pb::HdfsFileStatusProto& entry : reply.dirlist().partiallisting()) {
    page.entries.push_back(take(entry));
    if (!is_name(page.entries.back().name)) {
      co_return cluster_error(fmt::format("the NameNode lists {} in {}, which is not a valid name",
                                          printable(page.entries.back().name), printable(path)),
                              Errc::Corrupt);
    }
  }
  if (page.entries.empty()) {
    page.more = false;
  }
  co_return page;
}

rt::Async<Status> NameNode::make_folder(std::string path, uint32_t permission, bool parents) {
  pb::MkdirsRequestProto request;
  request.set_src(path);
  request.mutable_masked()->set_perm(permission);
  request.set_createparent(parents);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::MkdirsResponseProto>(
                                      Method{"mkdirs", Repetition::Idempotent}, request,
                                      "cannot create the folder " + printable(path)));
  if (!reply.result()) {
    co_return cluster_error(
        fmt::format("cannot create the folder {}: the NameNode gives no reason", printable(path)),
        Errc::Other);
  }
  co_return Status();
}

rt::Async<Status> NameNode::rename(Rename rename) {
  pb::Rename2RequestProto request;
  request.set_src(rename.from);
  request.set_dst(rename.to);
  request.set_overwritedest(rename.overwrite);
  MUSTER_CO_TRY_STATUS(co_await ask<pb::Rename2ResponseProto>(
      Method{"rename2", Repetition::AtMostOnce}, request,
      fmt::format("cannot rename {} to {}", printable(rename.from), printable(rename.to))));
  co_return Status();
}

rt::Async<Result<bool>> NameNode::remove(std::string path, bool recursive) {
  pb::DeleteRequestProto request;
  request.set_src(path);
  request.set_recursive(recursive);
  MUSTER_CO_TRY(const auto reply,
                co_await ask<pb::DeleteResponseProto>(Method{"delete", Repetition::AtMostOnce},
                                                      request, "cannot remove " + printable(path)));
  co_return reply.result();
}

rt::Async<Status> NameNode::set_times(std::string path, int64_t modified_ms, int64_t accessed_ms) {
  pb::SetTimesRequestProto request;
  request.set_src(path);
  request.set_mtime(static_cast<uint64_t>(modified_ms));
  request.set_atime(static_cast<uint64_t>(accessed_ms));
  MUSTER_CO_TRY_STATUS(
      co_await ask<pb::SetTimesResponseProto>(Method{"setTimes", Repetition::Idempotent}, request,
                                              "cannot change the times of " + printable(path)));
  co_return Status();
}

rt::Async<Result<ServerDefaults>> NameNode::server_defaults() {
  MUSTER_CO_TRY(const auto reply,
                co_await ask<pb::GetServerDefaultsResponseProto>(
                    Method{"getServerDefaults", Repetition::Idempotent},
                    pb::GetServerDefaultsRequestProto(), "cannot get the defaults of HDFS"));
  co_return take(reply.serverdefaults());
}

rt::Async<Result<std::optional<EncryptionKey>>> NameNode::encryption_key() {
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetDataEncryptionKeyResponseProto>(
                                      Method{"getDataEncryptionKey", Repetition::Idempotent},
                                      pb::GetDataEncryptionKeyRequestProto(),
                                      "cannot get the key of encrypted data transfer"));
  if (!reply.has_dataencryptionkey()) {
    co_return std::optional<EncryptionKey>();
  }
  const pb::DataEncryptionKeyProto& from = reply.dataencryptionkey();
  EncryptionKey key;
  key.key_id = static_cast<int32_t>(from.keyid());
  key.pool = from.blockpoolid();
  key.nonce = from.nonce();
  key.key = from.encryptionkey();
  key.expires_ms = static_cast<int64_t>(from.expirydate());
  key.algorithm = from.encryptionalgorithm();
  co_return std::optional<EncryptionKey>(std::move(key));
}

// ---- files and their blocks

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

rt::Async<Result<Token>> NameNode::delegation_token(std::string renewer) {
  ::hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(renewer);
  MUSTER_CO_TRY(const auto reply, co_await ask<::hadoop::common::GetDelegationTokenResponseProto>(
                                      Method{"getDelegationToken", Repetition::Idempotent}, request,
                                      "cannot get a delegation token of HDFS"));
  if (!reply.has_token()) {
    co_return cluster_error(
        "the NameNode issued no delegation token; it does so only on a cluster with Kerberos",
        Errc::Unsupported);
  }
  co_return take(reply.token());
}

}  // namespace muster::hadoop::hdfs
