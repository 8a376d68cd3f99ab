#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/yarn/client/client_session.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/yarn/report.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// The tag of all Muster applications, which is also the prefix of the job's id in another tag.
inline constexpr std::string_view kTag = "muster";
inline constexpr std::string_view kJobTag = "muster:";

/// A job of the requesting user, as reported by the cluster.
struct KnownJob {
  std::string id;
  std::string application_id;  ///< "" if only HDFS knows the job.
  std::string folder;          ///< In HDFS; "" if not looked up yet.
  WallTime submitted{};        ///< When the cluster learned of it.
  std::string queue;
  std::string state;  ///< The resource manager's word, in lower case; "" from HDFS alone.
  bool over = false;
};

/// A job's folder in HDFS.
struct JobPlace {
  std::string id;
  std::string folder;
  WallTime modified{};  ///< When an entry in it was last added or removed.
};

/// A job that has ended, from its summary in HDFS.
struct EndedJob {
  JobPlace place;
  std::string summary;  ///< The file's text (eventlog::Summary).
};

/// All jobs that a user has submitted to one cluster, from whatever host: those that the resource
/// manager knows, and those whose folders are in HDFS, by day. Nothing on this host is consulted.
/// Calls block.
class JobDirectory {
 public:
  /// `root`: the staging root, absolute; empty: the user's own.
  JobDirectory(ClientSession& session, os::Files& files, std::string root)
      : session_(session), files_(files), root_(std::move(root)) {}

  /// Returns what the resource manager knows, newest first.
  [[nodiscard]] Result<std::vector<KnownJob>> known();
  /// Finds the job with this id, a unique prefix of it, the application's id, or "last". NotFound,
  /// with the root that was searched.
  [[nodiscard]] Result<KnownJob> find(const std::string& id);
  /// Returns all folders of jobs, the newest day first.
  [[nodiscard]] Result<std::vector<JobPlace>> places();
  /// Returns the newest `limit` jobs that have written their summary, newest first; with `after`,
  /// those that follow it.
  [[nodiscard]] Result<std::vector<EndedJob>> ended(uint32_t limit,
                                                    const std::optional<JobPlace>& after);
  /// Makes a job's folder below `jobs_folder` on this host, as if it had been submitted here, and
  /// returns it. An existing one stays as it is.
  [[nodiscard]] Result<std::filesystem::path> adopt(const KnownJob& job,
                                                    const std::filesystem::path& jobs_folder,
                                                    const std::string& conf);

 private:
  [[nodiscard]] Result<std::string> root();
  [[nodiscard]] Result<KnownJob> find_application(const std::string& id);
  [[nodiscard]] Result<KnownJob> find_in_files(const std::string& id);
  [[nodiscard]] Result<std::string> folder_of(const KnownJob& job);
  [[nodiscard]] Result<std::vector<std::string>> days();
  [[nodiscard]] Result<std::vector<hadoop::hdfs::FileStatus>> list(const std::string& folder);

  ClientSession& session_;
  os::Files& files_;
  std::string root_;
};

/// Makes a KnownJob from a report; nothing for an application that is not a Muster job.
[[nodiscard]] std::optional<KnownJob> job_of(const hadoop::yarn::ApplicationReport& report);

}  // namespace muster::cluster::yarn
