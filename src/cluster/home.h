#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/job_folder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// One job found under $MUSTER_HOME/jobs.
struct JobEntry {
  JobFolder folder;
  WallTime submitted{};  ///< When its plan.json was written.
  bool ended = false;    ///< It has a summary.json.
};

/// $MUSTER_HOME: the jobs that this user submitted from here. Reads only; a folder that is not a
/// job (no plan.json) is not listed.
class Home {
 public:
  explicit Home(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path jobs_folder() const { return root_ / "jobs"; }
  [[nodiscard]] std::filesystem::path user_config() const { return root_ / "config.yaml"; }

  /// Lists all jobs, newest first. A home that does not exist has none.
  [[nodiscard]] Result<std::vector<JobEntry>> jobs() const;

  /// Finds a job by its id, a unique prefix of one, or "last" (the newest). NotFound with a
  /// suggestion for a typo; an ambiguous prefix names the candidates.
  [[nodiscard]] Result<JobEntry> find(std::string_view id) const;

 private:
  std::filesystem::path root_;
};

}  // namespace muster::cluster
