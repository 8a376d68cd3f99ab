#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/rpc/proxy.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// One page of a folder's entries.
struct ListingPage {
  std::vector<FileStatus> entries;  ///< Sorted by name.
  bool more = false;                ///< Ask again, after the last name of this page.
};

/// How a file is made.
struct CreateOptions {
  uint32_t permission = 0644;  ///< Already reduced by the umask.
  uint32_t umask = 022;        ///< Which the folders made on the way have.
  bool overwrite = false;      ///< Else AlreadyExists if there is one.
  bool parents = true;         ///< Make missing folders on the way.
  uint32_t replication = 3;
  uint64_t block_bytes = 128U << 20;
};

/// A rename; both absolute.
struct Rename {
  std::string from;
  std::string to;
  bool overwrite = false;  ///< Replace a file, or an empty folder, at `to`.
};

/// A file that is open for writing, as the NameNode knows it.
struct OpenFile {
  std::string path;
  uint64_t file_id = 0;
};

/// A block of an open file gets another generation and other DataNodes.
struct PipelineChange {
  Block old_block;
  Block new_block;  ///< With the new generation.
  std::vector<Replica> replicas;
};

struct NameNodeOptions {
  std::string client_name;  ///< Holder of our leases; unique.
  /// How long calls wait for a NameNode that is in safe mode (or otherwise asks to be called
  /// again).
  Duration safe_mode_wait = std::chrono::minutes(1);
  /// For add_block() and complete(); see LocatePauses.
  int locate_retries_max = 5;
  Duration locate_delay = std::chrono::milliseconds(400);
  Duration locate_delay_max = std::chrono::minutes(1);
  /// Called when a call waits, with the reason in a few words: "the NameNode is in safe mode".
  std::function<void(std::string_view why)> on_wait;
};

/// The calls of the NameNode (ClientProtocol). Each is repeated and failed over as its semantics
/// allow, and waits while the NameNode is in safe mode. Paths are absolute and normal. Errors have
/// one message for users: what was requested, what the NameNode says, what to do. Codes: NotFound,
/// AlreadyExists, PermissionDenied, OutOfSpace (disks or a quota), Cancelled (another client has
/// taken the file over), InvalidArgument, Unavailable, DeadlineExceeded, Unauthenticated.
class NameNode {
 public:
  NameNode(rt::Loop& loop, std::unique_ptr<rpc::Proxy> proxy, NameNodeOptions options);
  NameNode(NameNode&&) = delete;
  ~NameNode();

  [[nodiscard]] const std::string& client_name() const { return options_.client_name; }

  /// Nothing if there is no such path.
  [[nodiscard]] rt::Async<Result<std::optional<FileStatus>>> stat(std::string path);
  /// Entries with names after `start_after` (empty: from the first); a file lists itself with an
  /// empty name. NotFound.
  [[nodiscard]] rt::Async<Result<ListingPage>> list_page(std::string path, std::string start_after);
  /// Makes a folder and, with `parents`, those above it; an existing one is a success.
  [[nodiscard]] rt::Async<Status> make_folder(std::string path, uint32_t permission, bool parents);
  [[nodiscard]] rt::Async<Status> rename(Rename rename);
  /// Returns false if there was nothing to delete. A folder that is not empty needs `recursive`.
  [[nodiscard]] rt::Async<Result<bool>> remove(std::string path, bool recursive);
  /// Milliseconds since 1970; -1 leaves a time as it is.
  [[nodiscard]] rt::Async<Status> set_times(std::string path, int64_t modified_ms,
                                            int64_t accessed_ms);
  [[nodiscard]] rt::Async<Result<ServerDefaults>> server_defaults();
  /// Nothing if data transfer is not encrypted.
  [[nodiscard]] rt::Async<Result<std::optional<EncryptionKey>>> encryption_key();

  /// The blocks of a file that touch a range. NotFound; InvalidArgument for a folder.
  [[nodiscard]] rt::Async<Result<LocatedBlocks>> locate(std::string path, uint64_t offset,
                                                        uint64_t length);
  /// Reports which replicas are damaged.
  [[nodiscard]] rt::Async<Status> report_damaged(LocatedBlock block);

  /// Makes a file, open for writing by this client.
  [[nodiscard]] rt::Async<Result<FileStatus>> create(std::string path, CreateOptions options);
  /// Gets the next block for an open file. `previous`: the last one with its size. Waits while that
  /// has too few replicas. OutOfSpace if no DataNode is left that accepts it.
  [[nodiscard]] rt::Async<Result<LocatedBlock>> add_block(OpenFile file,
                                                          std::optional<Block> previous,
                                                          std::vector<Datanode> excluded);
  /// Gives back a block that no data has reached.
  [[nodiscard]] rt::Async<Status> abandon_block(OpenFile file, Block block);
  /// Gets one more DataNode for a block in addition to those that have it.
  [[nodiscard]] rt::Async<Result<LocatedBlock>> additional_datanode(OpenFile file, Block block,
                                                                    std::vector<Replica> existing,
                                                                    std::vector<Datanode> excluded);
  /// A new generation and a new token for a block that is being written.
  [[nodiscard]] rt::Async<Result<LocatedBlock>> new_generation(OpenFile file, Block block);
  [[nodiscard]] rt::Async<Status> update_pipeline(OpenFile file, PipelineChange change);
  /// Makes the length of the last block, so far, known to readers.
  [[nodiscard]] rt::Async<Status> sync(OpenFile file, uint64_t last_block_bytes);
  /// Closes an open file; waits until enough replicas of `last` are known. Repeating it is a
  /// success.
  [[nodiscard]] rt::Async<Status> complete(OpenFile file, std::optional<Block> last);
  [[nodiscard]] rt::Async<Status> renew_lease();

  /// Needs Kerberos. The token's service is left as the NameNode sends it.
  [[nodiscard]] rt::Async<Result<Token>> delegation_token(std::string renewer);

 private:
  template <class Reply, class Request>
  rt::Async<std::expected<Reply, rpc::Failure>> call(rpc::Method method, Request request);
  template <class Reply, class Request>
  rt::Async<Result<Reply>> ask(rpc::Method method, Request request, std::string what);
  void tell_wait(std::string_view why) const;

  rt::Loop* loop_;
  std::unique_ptr<rpc::Proxy> proxy_;
  NameNodeOptions options_;
};

/// Makes one error from what a NameNode said: "WHAT: what it says; what to do", with its code.
/// `what`: "cannot make /a".
[[nodiscard]] Error explain(const rpc::Failure& failure, std::string_view what);

}  // namespace muster::hadoop::hdfs
