#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::agent {

/// One connection to a remote file system, as checkpoints need it. Paths are absolute. Every call
/// blocks, may take long, and distinguishes NotFound, AlreadyExists and OutOfSpace. Used by one
/// thread.
class RemoteFiles {
 public:
  virtual ~RemoteFiles() = default;
  /// Returns the names in a folder; a missing folder is empty.
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;
  virtual Result<std::string> read(const std::string& path, uint64_t limit_bytes) = 0;
  /// Makes a file that must not exist yet; missing parent folders are made.
  virtual Status write(const std::string& path, const std::string& bytes) = 0;
  /// Copies a file of this host to `to`, which must not exist; returns its size and CRC-32.
  virtual Result<CheckpointFile> put(const std::filesystem::path& from, const std::string& to) = 0;
  /// Copies a file to this host, to a path that must not exist; returns its size and CRC-32.
  virtual Result<CheckpointFile> get(const std::string& from, const std::filesystem::path& to) = 0;
  /// Renames a folder in one step; AlreadyExists if there is anything at `to`.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// Removes a path and everything below it in one step; a missing path is a success.
  virtual Status remove(const std::string& path) = 0;
};

/// Checkpoints in a folder of a remote file system: `ckpt-00000012/` with the files and
/// `.muster-manifest`. A copy under way lies in `.incoming-*` and gets its name by one rename, so
/// that whatever has a name is whole. A connection lives for one call.
class CheckpointRemoteStore final : public CheckpointStore {
 public:
  using Connect = std::function<Result<std::unique_ptr<RemoteFiles>>()>;

  /// `root`: absolute and normal. `writer` names this agent among those that may write here.
  CheckpointRemoteStore(os::Files& files, Connect connect, std::string root, std::string writer)
      : files_(files),
        connect_(std::move(connect)),
        root_(std::move(root)),
        writer_(std::move(writer)) {}

  Result<Staged> stage(const std::filesystem::path& folder, const std::vector<std::string>& files,
                       CheckpointManifest manifest) override;
  Result<uint64_t> commit(const Staged& staged) override;
  void discard(const Staged& staged) override;
  Result<std::vector<uint64_t>> list() override;
  Result<CheckpointManifest> fetch(uint64_t number, const std::filesystem::path& folder) override;
  Status prune(uint32_t keep) override;

 private:
  [[nodiscard]] std::string path_of(uint64_t number) const;
  [[nodiscard]] Result<std::vector<uint64_t>> numbers_in(RemoteFiles& remote) const;
  [[nodiscard]] Result<CheckpointManifest> manifest_of(RemoteFiles& remote, uint64_t number) const;

  os::Files& files_;
  Connect connect_;
  std::string root_;
  std::string writer_;
  uint64_t staged_ = 0;
};

}  // namespace muster::agent
