#include "hadoop/hdfs/name_node.h"

#include "base/text.h"
#include "hadoop/hdfs/name_node_call.h"
#include "hadoop/hdfs/records.h"
#include "hadoop/security.pb.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {

using rpc::Method;
using rpc::Repetition;

namespace {

/// What is copied takes its local name from a listing: it must not lead elsewhere. A file that is
/// listed itself has none.
bool is_name(std::string_view name) {
  return name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

}  // namespace

NameNode::NameNode(rt::Loop& loop, std::unique_ptr<rpc::Proxy> proxy, NameNodeOptions options)
    : loop_(&loop), proxy_(std::move(proxy)), options_(std::move(options)) {}

NameNode::~NameNode() = default;

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
                                      "cannot look at " + printable(path)));
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
      co_return cluster_error(fmt::format("the NameNode lists {} in {}, which is no name",
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
                                      "cannot make the folder " + printable(path)));
  if (!reply.result()) {
    co_return cluster_error(
        fmt::format("cannot make the folder {}: the NameNode does not say why", printable(path)),
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

rt::Async<Status> NameNode::set_permission(std::string path, uint32_t permission) {
  pb::SetPermissionRequestProto request;
  request.set_src(path);
  request.mutable_permission()->set_perm(permission);
  MUSTER_CO_TRY_STATUS(co_await ask<pb::SetPermissionResponseProto>(
      Method{"setPermission", Repetition::Idempotent}, request,
      "cannot change the permissions of " + printable(path)));
  co_return Status();
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

rt::Async<Result<ContentSummary>> NameNode::content_summary(std::string path) {
  pb::GetContentSummaryRequestProto request;
  request.set_path(path);
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetContentSummaryResponseProto>(
                                      Method{"getContentSummary", Repetition::Idempotent}, request,
                                      "cannot add up " + printable(path)));
  co_return ContentSummary{reply.summary().length(), reply.summary().filecount(),
                           reply.summary().directorycount()};
}

rt::Async<Result<Capacity>> NameNode::capacity() {
  MUSTER_CO_TRY(const auto reply,
                co_await ask<pb::GetFsStatsResponseProto>(
                    Method{"getFsStats", Repetition::Idempotent}, pb::GetFsStatusRequestProto(),
                    "cannot ask for the space of HDFS"));
  co_return Capacity{reply.capacity(), reply.used(), reply.remaining()};
}

rt::Async<Result<ServerDefaults>> NameNode::server_defaults() {
  MUSTER_CO_TRY(const auto reply,
                co_await ask<pb::GetServerDefaultsResponseProto>(
                    Method{"getServerDefaults", Repetition::Idempotent},
                    pb::GetServerDefaultsRequestProto(), "cannot ask for the defaults of HDFS"));
  co_return take(reply.serverdefaults());
}

rt::Async<Result<std::optional<EncryptionKey>>> NameNode::encryption_key() {
  MUSTER_CO_TRY(const auto reply, co_await ask<pb::GetDataEncryptionKeyResponseProto>(
                                      Method{"getDataEncryptionKey", Repetition::Idempotent},
                                      pb::GetDataEncryptionKeyRequestProto(),
                                      "cannot ask for the key of encrypted data transfer"));
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

rt::Async<Result<Token>> NameNode::delegation_token(std::string renewer) {
  ::hadoop::common::GetDelegationTokenRequestProto request;
  request.set_renewer(renewer);
  MUSTER_CO_TRY(const auto reply, co_await ask<::hadoop::common::GetDelegationTokenResponseProto>(
                                      Method{"getDelegationToken", Repetition::Idempotent}, request,
                                      "cannot get a delegation token of HDFS"));
  if (!reply.has_token()) {
    co_return cluster_error(
        "the NameNode gives out no delegation token; it does so only on a cluster with Kerberos",
        Errc::Unsupported);
  }
  co_return take(reply.token());
}

rt::Async<Result<int64_t>> NameNode::renew_token(Token token) {
  ::hadoop::common::RenewDelegationTokenRequestProto request;
  put(token, request.mutable_token());
  MUSTER_CO_TRY(const auto reply, co_await ask<::hadoop::common::RenewDelegationTokenResponseProto>(
                                      Method{"renewDelegationToken", Repetition::Idempotent},
                                      request, "cannot renew a delegation token of HDFS"));
  co_return static_cast<int64_t>(reply.newexpirytime());
}

rt::Async<Status> NameNode::cancel_token(Token token) {
  ::hadoop::common::CancelDelegationTokenRequestProto request;
  put(token, request.mutable_token());
  MUSTER_CO_TRY_STATUS(co_await ask<::hadoop::common::CancelDelegationTokenResponseProto>(
      Method{"cancelDelegationToken", Repetition::Idempotent}, request,
      "cannot cancel a delegation token of HDFS"));
  co_return Status();
}

}  // namespace muster::hadoop::hdfs
