#pragma once

#include "base/result.h"
#include "job/ids.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// One file of a checkpoint, by its path below the checkpoint's folder.
struct CheckpointFile {
  std::string path;
  uint64_t size_bytes = 0;
  uint32_t crc = 0;  ///< CRC-32 of its content.
  bool operator==(const CheckpointFile&) const = default;
};

/// Extends the CRC-32 of a CheckpointFile; start from 0.
[[nodiscard]] uint32_t add_to_crc(uint32_t crc, std::string_view bytes);

/// Metadata of one checkpoint, stored beside its files and written last.
struct CheckpointManifest {
  job::JobId job;
  job::Generation generation;
  std::string name;    ///< As the framework calls it: "ckpt-12".
  std::string marker;  ///< What showed that it was complete.
  std::vector<CheckpointFile> files;
  bool operator==(const CheckpointManifest&) const = default;
};

/// Lines of text; paths are percent-encoded.
[[nodiscard]] std::string encode(const CheckpointManifest& manifest);
/// Returns Corrupt for anything that is not whole.
[[nodiscard]] Result<CheckpointManifest> decode_manifest(std::string_view text);

/// Where the checkpoints of one owner (the job's chief, or a task) are kept for all hosts.
/// Committed ones are numbered upwards; the newest wins. Used on pool threads only; all calls may
/// take long. Implementations: CheckpointFolderStore, CheckpointRemoteStore.
class CheckpointStore {
 public:
  /// A copy that is not visible yet.
  struct Staged {
    std::string token;
    CheckpointManifest manifest;
  };

  virtual ~CheckpointStore() = default;
  /// Copies `files`, given as paths below `folder`, to where they are not visible yet, with their
  /// checksums.
  virtual Result<Staged> stage(const std::filesystem::path& folder,
                               const std::vector<std::string>& files,
                               CheckpointManifest manifest) = 0;
  /// Makes a staged copy the newest checkpoint, whole or not at all; returns its number.
  virtual Result<uint64_t> commit(const Staged& staged) = 0;
  virtual void discard(const Staged& staged) = 0;
  /// Lists the committed ones, oldest first.
  virtual Result<std::vector<uint64_t>> list() = 0;
  /// Copies a committed one into `folder`, which is empty or missing; Corrupt if a checksum is
  /// wrong.
  virtual Result<CheckpointManifest> fetch(uint64_t number,
                                           const std::filesystem::path& folder) = 0;
  /// Removes all but the newest `keep`, and the remains of interrupted copies.
  virtual Status prune(uint32_t keep) = 0;
};

/// Opens the store at an address that is not a folder ("hdfs://nn:8020/user/me/digits") for the
/// agent `writer`. Reads configuration, but connects to nothing. Errors say what is wrong with it.
using OpenCheckpointStore = std::function<Result<std::shared_ptr<CheckpointStore>>(
    const std::string& address, const std::string& writer)>;

}  // namespace muster::agent
