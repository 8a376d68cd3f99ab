#pragma once

#include "base/result.h"
#include "cluster/host_memory.h"
#include "cluster/yarn/session.h"
#include "cluster/yarn/staging/staged_file.h"
#include "rt/async.h"

#include <filesystem>
#include <set>
#include <string>

namespace muster::cluster::yarn {

/// A user's place in HDFS for what jobs need:
///
///     ROOT/store/SHA256    files by their content (archives with their ending), shared by all jobs
///     ROOT/store/SHA256-2  where one job has two files of that content (stored_name())
///     ROOT/jobs/2026/11/21/JOB/    one job, by the day (UTC) on which it was submitted:
///                          job.json, secret, events/, metrics/, summary.json
///     ROOT/hosts.jsonl     what the jobs found about the cluster's hosts
///
/// Folders have mode 0700. A file of the store is written once, under another name until it is
/// whole, so that jobs that are submitted at the same time never see a part; a second job with the
/// same files uploads nothing. Each use sets its access time.
class Staging {
 public:
  /// `root`: absolute and normal.
  Staging(Session& session, std::string root) : session_(session), root_(std::move(root)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::string job_folder(const std::string& job_id, WallTime submitted) const;
  [[nodiscard]] static std::string events_folder(const std::string& job_folder) {
    return job_folder + "/events";
  }
  [[nodiscard]] static std::string metrics_folder(const std::string& job_folder) {
    return job_folder + "/metrics";
  }
  [[nodiscard]] static std::string summary_file(const std::string& job_folder) {
    return job_folder + "/summary.json";
  }

  /// Returns the root in which job_folder() has made a folder.
  [[nodiscard]] static std::string root_of(const std::string& job_folder);
  /// HostMemory's file.
  [[nodiscard]] static std::string hosts_file(const std::string& root) {
    return root + "/" + std::string(kHostMemoryName);
  }
  /// The job's secret, 64 hex digits, mode 0600: its owner reaches it from other hosts, too.
  [[nodiscard]] static std::string secret_file(const std::string& job_folder) {
    return job_folder + "/secret";
  }

  /// Makes the folders of one job. May be repeated.
  [[nodiscard]] rt::Async<Status> prepare(std::string job_folder);
  /// Puts a file of this host into the store if it is not there yet, under a name that is not among
  /// `taken`, the paths that its job has in the store; `link` is its name in containers. Reads it
  /// twice: an error if it changes meanwhile.
  [[nodiscard]] rt::Async<Result<StagedFile>> store(std::filesystem::path file, std::string link,
                                                    std::set<std::string>* taken);
  /// Finds a file that is in HDFS already. InvalidArgument for a folder.
  [[nodiscard]] rt::Async<Result<StagedFile>> find_remote(std::string address, std::string link);
  /// Returns whether containers will find the file as it was staged: a cleaner may have removed it
  /// before the job named it.
  [[nodiscard]] rt::Async<Result<bool>> is_there(StagedFile staged);
  /// Writes a small file of one job.
  [[nodiscard]] rt::Async<Result<StagedFile>> write(std::string path, std::string bytes,
                                                    std::string link);
  /// Removes a job's folder and everything in it; a missing one is a success.
  [[nodiscard]] rt::Async<Status> remove_job(std::string job_folder);

 private:
  [[nodiscard]] rt::Async<Status> upload(std::filesystem::path file, std::string path,
                                         std::string content_name);
  [[nodiscard]] static rt::Async<Result<StagedFile>> found(hadoop::hdfs::FileSystem* files,
                                                           std::string path, std::string link);

  Session& session_;
  std::string root_;
  int64_t prepared_ms_ = -1;  ///< HDFS's time when the job's folder was made; -1: not yet.
};

/// Returns the path of a file below `root` that is not in use.
[[nodiscard]] std::string scratch_path(const std::string& root, rt::Random& random);

/// Returns "ROOT/jobs/2026/11/21" for a moment of that day (UTC).
[[nodiscard]] std::string folder_of_day(const std::string& root, WallTime moment);

/// Returns the SHA-256 of a file's content, 64 hex digits. Blocks.
[[nodiscard]] Result<std::string> content_name(const std::filesystem::path& file);

}  // namespace muster::cluster::yarn
