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

/// What all applications of Muster have among their tags, and what stands before the job's id in
/// another one.
inline constexpr std::string_view kTag = "muster";
inline constexpr std::string_view kJobTag = "muster:";

/// A job of the asking user, as the cluster reports about it.
struct KnownJob {
  std::string id;
  std::string application_id;  ///< "" where only HDFS knows the job.
  std::string folder;          ///< In HDFS; "" while nobody has looked.
  WallTime submitted{};        ///< When the cluster learned of it.
  std::string queue;
  std::string state;  ///< The resource manager's word, in lower case; "" from HDFS alone.
  bool over = false;
};

/// A job's folder in HDFS.
struct JobPlace {
  std::string id;
  std::string folder;
  WallTime modified{};  ///< When something in it came or went last.
};

/// A job that has ended, from its summary in HDFS.
struct EndedJob {
  JobPlace place;
  std::string summary;  ///< The file's text (eventlog::Summary).
};

/// All jobs that a user has submitted to one cluster, from whatever host: those that the resource
/// manager knows, and those whose folders are in HDFS, by day. Nothing of this host is looked at.
/// Calls block.
class JobDirectory {
 public:
  /// `root`: the staging root, absolute; empty: the user's own.
  JobDirectory(ClientSession& session, os::Files& files, std::string root)
      : session_(session), files_(files), root_(std::move(root)) {}

  /// What the resource manager knows, newest first.
  [[nodiscard]] Result<std::vector<KnownJob>> known();
  /// The job with this id, a unique beginning of it, the application's id, or "last". NotFound,
  /// with the root that was looked through.
  [[nodiscard]] Result<KnownJob> find(const std::string& id);
  /// All folders of jobs, the newest day first.
  [[nodiscard]] Result<std::vector<JobPlace>> places();
  /// The newest `limit` jobs that have written their summary, newest first; with `after` those
  /// that come behind it.
  [[nodiscard]] Result<std::vector<EndedJob>> ended(uint32_t limit,
                                                    const std::optional<JobPlace>& after);
  /// Makes a job's folder below `jobs_folder` of this host, as if it had been submitted here, and
  /// returns it. One that is there stays as it is.
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

/// Makes a KnownJob of a report; nothing for an application that is not a job of Muster.
[[nodiscard]] std::optional<KnownJob> job_of(const hadoop::yarn::ApplicationReport& report);

}  // namespace muster::cluster::yarn
