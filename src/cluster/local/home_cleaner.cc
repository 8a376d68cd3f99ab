#include "cluster/local/home_cleaner.h"

#include "cluster/local/container_record.h"
#include "cluster/local/job_lock.h"

#include <algorithm>
#include <filesystem>
#include <ranges>

namespace muster::cluster::local {
namespace fs = std::filesystem;
namespace {

uint64_t size_of_tree(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator
           it(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && it != end; it.increment(error)) {
    std::error_code one;
    if (it->is_regular_file(one) && !it->is_symlink(one)) {
      bytes += it->file_size(one);
    }
  }
  return bytes;
}

struct Candidate {
  JobEntry entry;
  uint64_t bytes = 0;
  bool removable = false;
  Duration age{};  ///< Since its end or, if none was written, its submission.
};

/// Masters are gone two seconds after their job.
constexpr Duration kMasterLeavesMax = std::chrono::seconds(3);

/// Returns whether the job is over: it has ended, or it has no master and never will.
bool is_over(os::Files& files, const JobEntry& entry, WallTime now) {
  if (entry.ended) {
    return true;
  }
  // A job submitted just now has a folder before it has a master.
  constexpr Duration kStartTime = std::chrono::minutes(1);
  return now - entry.submitted > kStartTime && files.exists(entry.folder.master_lock()) &&
         !any_container_lives(files, entry.folder.containers()) &&
         files.try_lock(entry.folder.master_lock()).has_value();
}

void remove(os::Files& files, Candidate& candidate, const RetentionRules& rules,
            Retained& cleaned) {
  const std::string id = candidate.entry.folder.id().value;
  if (!rules.dry_run) {
    // A master that has reported the end still writes the last samples, which would bring the
    // folder back.
    if (!wait_for_job_lock(candidate.entry.folder.master_lock(), kMasterLeavesMax)) {
      cleaned.troubles.push_back(id + ": its master has not left yet; clean again later");
      return;
    }
    if (const Status removed = files.remove_tree(candidate.entry.folder.root()); !removed) {
      cleaned.troubles.push_back(id + ": " + removed.error().message);
      return;
    }
  }
  cleaned.removed.push_back(id);
  cleaned.freed_bytes += candidate.bytes;
  *cleaned.left_bytes -= candidate.bytes;
  candidate.removable = false;
}

}  // namespace

Result<Retained> clean_home(os::Files& files, const Home& home, const RetentionRules& rules,
                            WallTime now) {
  MUSTER_TRY(const std::vector<JobEntry> entries, home.jobs());
  std::vector<Candidate> candidates;
  Retained cleaned;
  cleaned.left_bytes = 0;
  for (const JobEntry& entry : entries | std::views::reverse) {
    const Result<os::FileStat> summary = files.stat(entry.folder.summary());
    Candidate candidate{.entry = entry,
                        .bytes = size_of_tree(entry.folder.root()),
                        .removable = is_over(files, entry, now),
                        .age = now - (summary ? summary->modified : entry.submitted)};
    *cleaned.left_bytes += candidate.bytes;
    candidates.push_back(std::move(candidate));
  }
  for (Candidate& candidate : candidates) {
    const bool old = !rules.older_than || candidate.age > *rules.older_than;
    if (candidate.removable && old) {
      remove(files, candidate, rules, cleaned);
    }
  }
  for (Candidate& candidate : candidates) {
    if (rules.total_max_bytes && *cleaned.left_bytes > *rules.total_max_bytes &&
        candidate.removable && candidate.age > rules.young) {
      remove(files, candidate, rules, cleaned);
    }
  }
  return cleaned;
}

}  // namespace muster::cluster::local
