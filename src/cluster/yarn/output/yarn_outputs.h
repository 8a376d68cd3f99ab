#pragma once

#include "cluster/folder_outputs.h"
#include "cluster/outputs.h"
#include "cluster/yarn/client/job_fetcher.h"
#include "cluster/yarn/output/log_mirror.h"
#include "eventlog/replay.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// What the tasks of a job on YARN wrote, copied into the job's folder here: from their nodes and
/// from HDFS and, piece by piece, from the job's master. Several processes may do so at once: the
/// copy is locked while one of them changes it.
class YarnOutputs final : public Outputs {
 public:
  struct Deps {
    ClientSession& session;
    os::Files& files;
    eventlog::PlanOf plan_of;
    /// `owner`: whose job; "": the asking user's.
    MirrorLimits limits = {};
    FetchLimits log_limits = {};  ///< For the job's log, which says what to copy.
  };

  /// `roles`: the plan's, in its order.
  YarnOutputs(Deps deps, JobFolder job, std::vector<std::string> roles, LogFilter filter);

  Result<Gaps> refresh() override;
  Result<std::vector<LogStream>> streams() override { return here_.streams(); }
  Result<std::string> read(const LogStream& stream, uint64_t from, uint64_t limit) override {
    return here_.read(stream, from, limit);
  }
  [[nodiscard]] std::optional<std::filesystem::path> watched() const override {
    return std::nullopt;
  }
  Status take(const OutputPiece& piece) override;

 private:
  [[nodiscard]] std::unique_ptr<os::FileLock> lock_copy();
  [[nodiscard]] Result<Gaps> bring();
  [[nodiscard]] Result<Gaps> bring_ended(const std::vector<LogSource>& sources, WallTime last);
  [[nodiscard]] bool wants_everything() const;

  Deps deps_;
  JobFolder job_;
  LogFilter filter_;
  FolderOutputs here_;
  /// Where the growing file begins in each stream, as far as take() knows.
  std::map<std::filesystem::path, uint64_t> begins_;
};

}  // namespace muster::cluster::yarn
