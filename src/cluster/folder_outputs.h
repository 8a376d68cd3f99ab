#pragma once

#include "cluster/outputs.h"
#include "job/plan.h"
#include "os/file/files.h"

#include <filesystem>
#include <string>
#include <vector>

namespace muster::cluster {

/// Output that is in a folder of this host, as agents write it there (agent::OutputLog).
class FolderOutputs final : public Outputs {
 public:
  /// `roles`: the plan's, in its order. `files` must outlive this.
  FolderOutputs(os::Files& files, std::filesystem::path folder, std::vector<std::string> roles,
                LogFilter filter)
      : files_(files),
        folder_(std::move(folder)),
        roles_(std::move(roles)),
        filter_(std::move(filter)) {}

  Result<Gaps> refresh() override { return Gaps(); }
  Result<std::vector<LogStream>> streams() override;
  Result<std::string> read(const LogStream& stream, uint64_t from, uint64_t limit) override;
  [[nodiscard]] std::optional<std::filesystem::path> watched() const override { return folder_; }
  Status take(const OutputPiece&) override { return {}; }

 private:
  os::Files& files_;
  std::filesystem::path folder_;
  std::vector<std::string> roles_;
  LogFilter filter_;
};

/// Returns the names of a plan's roles, in its order.
[[nodiscard]] std::vector<std::string> roles_of(const job::Plan& plan);

}  // namespace muster::cluster
