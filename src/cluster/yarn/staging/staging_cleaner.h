#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/yarn/staging/job_directory.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// What may be removed from a user's staging root.
struct StagingRules {
  Duration older_than{};  ///< Jobs by their end, files by their last use; in HDFS's time.
  bool dry_run = false;
};

struct StagingCleaned {
  std::vector<std::string> jobs;   ///< Ids.
  std::vector<std::string> files;  ///< Names in the store.
  uint64_t freed_bytes = 0;        ///< Of the store.
  std::vector<std::string> troubles;
};

/// Removes what old jobs left in HDFS: their folders with log and summary, and the files of the
/// store that no job has used for as long. A job that the resource manager has not seen end is
/// never touched, nor are the files that it names; nor is one that it does not know and whose log
/// somebody is writing, for another cluster over the same HDFS.
///
/// All ages are told by HDFS's own clock, so that nothing young goes because this host's is wrong.
///
/// Safe while jobs are submitted: a file is first moved aside, then the jobs are looked through
/// once more; a submission looks after its files once more when its job names them (Staging), so
/// that one of the two always sees the other.
class StagingCleaner {
 public:
  StagingCleaner(ClientSession& session, JobDirectory& directory, std::string root)
      : session_(session), directory_(directory), root_(std::move(root)) {}

  [[nodiscard]] Result<StagingCleaned> clean(const StagingRules& rules);

 private:
  struct Stored {
    std::string name;
    uint64_t bytes = 0;
    WallTime used{};
  };

  [[nodiscard]] Result<bool> is_written(const JobPlace& place);
  [[nodiscard]] Status clean_jobs(const StagingRules& rules);
  [[nodiscard]] Status clean_store(const StagingRules& rules);
  [[nodiscard]] Status remove_unused(const Stored& file);
  [[nodiscard]] Result<std::vector<Stored>> unused(const StagingRules& rules);
  [[nodiscard]] Result<std::set<std::string>> referenced(const std::set<std::string>& living);
  [[nodiscard]] Result<std::set<std::string>> living();

  ClientSession& session_;
  JobDirectory& directory_;
  std::string root_;
  WallTime now_{};               ///< HDFS's time when cleaning began.
  std::set<std::string> ended_;  ///< Jobs of which that is known for good.
  StagingCleaned cleaned_;
};

}  // namespace muster::cluster::yarn
