#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "os/file/files.h"

namespace muster::agent {

/// Checkpoints in a folder of this host, or one that all hosts share: `ckpt-00000012/` with the
/// files and, written last, `.muster-manifest`. A copy under way lies in `.incoming-*` and gets its
/// name by one rename. What did not change since the last one is linked, not copied again.
class CheckpointFolderStore final : public CheckpointStore {
 public:
  /// `writer` names this agent among those that may write here.
  CheckpointFolderStore(os::Files& files, std::filesystem::path root, std::string writer)
      : files_(files), root_(std::move(root)), writer_(std::move(writer)) {}

  Result<Staged> stage(const std::filesystem::path& folder, const std::vector<std::string>& files,
                       CheckpointManifest manifest) override;
  Result<uint64_t> commit(const Staged& staged) override;
  void discard(const Staged& staged) override;
  Result<std::vector<uint64_t>> list() override;
  Result<CheckpointManifest> fetch(uint64_t number, const std::filesystem::path& folder) override;
  Status prune(uint32_t keep) override;

 private:
  [[nodiscard]] std::filesystem::path path_of(uint64_t number) const;
  [[nodiscard]] Result<CheckpointManifest> manifest_of(uint64_t number);
  [[nodiscard]] Status refuse_if_older(const std::vector<uint64_t>& numbers,
                                       const CheckpointManifest& manifest);

  os::Files& files_;
  std::filesystem::path root_;
  std::string writer_;
  uint64_t staged_ = 0;
};

/// Copies a file piece by piece; returns its CRC-32 and size. `to` must not exist.
[[nodiscard]] Result<CheckpointFile> copy_with_crc(os::Files& files,
                                                   const std::filesystem::path& from,
                                                   const std::filesystem::path& to);
[[nodiscard]] Result<CheckpointFile> crc_of(os::Files& files, const std::filesystem::path& path);

}  // namespace muster::agent
