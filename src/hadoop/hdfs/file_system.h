#pragma once

#include "base/log.h"
#include "base/result.h"
#include "hadoop/configuration.h"
#include "hadoop/credentials.h"
#include "hadoop/hdfs/blocks/data_nodes.h"
#include "hadoop/hdfs/file_reader.h"
#include "hadoop/hdfs/file_writer.h"
#include "hadoop/hdfs/lease_keeper.h"
#include "hadoop/hdfs/names/name_node.h"
#include "hadoop/rpc/client.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

/// How a file is to be written; what is absent comes from the configuration.
struct WriteFileOptions {
  bool overwrite = false;              ///< Else AlreadyExists if there is one.
  bool parents = true;                 ///< Make missing folders on the way.
  std::optional<uint32_t> permission;  ///< Before the umask; default 0666.
  std::optional<uint32_t> replication;
  std::optional<uint64_t> block_bytes;
};

/// What a file system takes from the configuration.
struct FileSystemOptions {
  WriterOptions writer;
  ReaderOptions reader;
  DataNodeOptions data_nodes;
  NameNodeOptions name_node;  ///< Without the client's name.
  uint32_t umask = 022;
};
[[nodiscard]] Result<FileSystemOptions> file_system_options(const Configuration& configuration);

/// One HDFS as one user sees it. Paths are absolute and normal (path.h). Every call may fail with
/// NameNode's errors; messages name the path. Must outlive its readers and writers. One loop's
/// thread.
class FileSystem {
 public:
  struct Deps {
    rt::Loop& loop;
    rt::Random& random;
    net::Dialer& dialer;
    log::Sink& log;
    rpc::Client& client;
    /// Called with the reason why a call waits for the NameNode, and with "" when it no longer
    /// does; may be empty.
    std::function<void(std::string_view why)> on_wait;
  };
  /// Which file system, and as which user.
  struct Login {
    std::string authority;  ///< "nn:8020" or a name service; empty: the default file system's.
    rpc::Identity identity;
    Credentials credentials;
  };

  /// Nothing is connected yet. Fails if the configuration is wrong.
  [[nodiscard]] static Result<std::unique_ptr<FileSystem>> open(Deps deps,
                                                                const Configuration& configuration,
                                                                const Login& login);
  FileSystem(FileSystem&&) = delete;
  ~FileSystem();

  /// "/user/alice".
  [[nodiscard]] const std::string& home() const { return home_; }
  /// "hdfs://nn:8020", for users.
  [[nodiscard]] const std::string& name() const { return name_; }

  /// NotFound if there is no such path.
  [[nodiscard]] rt::Async<Result<FileStatus>> stat(std::string path);
  [[nodiscard]] rt::Async<Result<bool>> exists(std::string path);
  /// The entries of a folder, sorted by name. NotFound; InvalidArgument for a file.
  [[nodiscard]] rt::Async<Result<std::vector<FileStatus>>> list(std::string path);
  /// Makes a folder (and with `parents` those above); an existing one is a success.
  [[nodiscard]] rt::Async<Status> make_folder(std::string path, bool parents,
                                              uint32_t permission = 0777);
  [[nodiscard]] rt::Async<Status> rename(Rename rename);
  /// Returns false if there was nothing. A folder that is not empty needs `recursive`.
  [[nodiscard]] rt::Async<Result<bool>> remove(std::string path, bool recursive);

  /// Opens a file to read it, or a part of it.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<FileReader>>> read(std::string path,
                                                                    ByteRange range = {});
  /// Reads up to `limit_bytes` of a range into memory; more is an error.
  [[nodiscard]] rt::Async<Result<std::string>> read_whole(std::string path, ByteRange range,
                                                          uint64_t limit_bytes);
  /// Makes a file and opens it for writing: whole files, and logs that are flushed.
  [[nodiscard]] rt::Async<Result<std::unique_ptr<FileWriter>>> create(std::string path,
                                                                      WriteFileOptions options);
  /// Writes a whole file; readers see it under its name only when it is complete.
  [[nodiscard]] rt::Async<Status> write_whole(std::string path, std::string bytes,
                                              WriteFileOptions options);

  /// The calls themselves, for whatever is missing here.
  [[nodiscard]] NameNode& name_node() { return *name_node_; }

 private:
  FileSystem(Deps deps, FileSystemOptions options);

  Deps deps_;
  FileSystemOptions options_;
  std::string name_;
  std::string home_;
  std::unique_ptr<NameNode> name_node_;
  std::unique_ptr<TransferSecurity> security_;
  std::unique_ptr<DataNodes> data_nodes_;
  std::unique_ptr<LeaseKeeper> leases_;
};

/// Where a file is while it is being written, next to its final name: "/a/b._COPYING_", as in
/// Hadoop.
[[nodiscard]] std::string copying_name(std::string_view path);

}  // namespace muster::hadoop::hdfs
