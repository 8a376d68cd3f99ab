#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/job_folder.h"
#include "cluster/job_report.h"
#include "eventlog/log_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/replay.h"
#include "eventlog/summary.h"
#include "os/file/files.h"
#include "rt/async.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// A job as a team's portal lists it.
struct TeamJob {
  std::string id;
  std::string owner;  ///< As the cluster knows it, whatever the job itself says.
  std::string name;
  std::string queue;
  std::string on;     ///< The cluster's name.
  std::string state;  ///< "queued", "running", "lost", "succeeded", "failed", "stopped".
  std::string class_name;
  uint64_t tasks = 0;
  WallTime submitted{};
  Duration duration{};
  bool ended = false;
  std::vector<std::string> viewers;  ///< As the specification's yarn.acl_view.
  /// The hosts it has been on; while it runs, as of some seconds ago.
  std::vector<eventlog::HostShare> hosts = {};
  std::string page = {};  ///< A link to the page that it has itself; "" where a portal knows none.

  /// "alice:digits-7f3k2q": its name in links, which nobody else's job can take.
  [[nodiscard]] std::string key() const { return owner + ":" + id; }
};

/// Copies what a job asked for into `job`. A specification that this version cannot read leaves the
/// job without a name and without viewers, so that only its owner sees it.
void take_plan(const eventlog::PlanFile& plan, TeamJob& job);
/// Longer logs of running jobs are not read for a list.
inline constexpr uint64_t kTeamLogBytesMax = 16U << 20;
/// A job with a longer log is not shown, and the logs of jobs kept in memory are not longer in
/// total; far above those of the largest jobs.
inline constexpr uint64_t kTeamOpenLogBytesMax = 64U << 20;
/// Returns the length of a job's event log; 0 if it cannot be seen.
[[nodiscard]] uint64_t log_bytes_of(os::Files& files, const JobFolder& folder);
/// Returns which hosts a job has been on so far, from its log. Errors are those of `plan_of`.
[[nodiscard]] Result<std::vector<eventlog::HostShare>> hosts_so_far(
    const eventlog::Log& log, const eventlog::PlanOf& plan_of);
/// Copies how a job ended into `job`.
void take_summary(const eventlog::Summary& summary, TeamJob& job);

/// A job of a team that can be read on this host.
struct TeamReading {
  JobFolder folder;
  JobReport report;
  /// Fetches what the tasks have written so far into the folder. Only one call at a time, and none
  /// after the TeamJobs is gone.
  std::function<rt::Async<Status>()> bring_output;
  /// How much disk of this host its copy takes, in bytes.
  std::function<uint64_t()> disk_bytes = [] { return uint64_t{0}; };
  std::shared_ptr<const void> kept = nullptr;  ///< The folder stays as long as this does.
};

/// Whose jobs a team's portal shows, and where it may write.
struct TeamOptions {
  /// Patterns of folders: in "/home/{user}/.muster" `{user}` stands for each folder there.
  std::vector<std::string> homes;
  std::filesystem::path scratch;  ///< A folder of the portal's own for what it reads elsewhere.
  /// How much all jobs may take there together, in bytes. What one job's tasks wrote, and what was
  /// measured of it, may each take a part of it, one of kTeamShares.
  uint64_t disk_max = 0;
};
/// Twice the number of copying threads: with half of the disk in use, none of them waits for room.
inline constexpr uint64_t kTeamShares = 16;

/// The jobs of all users of a cluster, as a portal lists them. Keeps some hundred bytes per job.
/// Lives on the loop it was made for.
class TeamJobs {
 public:
  virtual ~TeamJobs() = default;
  /// Adopts what is new. Never waits for other hosts: news from them arrives in the background, and
  /// may be some seconds old.
  virtual void refresh(WallTime now) = 0;
  /// Returns the jobs, newest first, as of the last refresh().
  [[nodiscard]] virtual const std::vector<const TeamJob*>& jobs() const = 0;
  /// Finds a job by its key; nullptr if there is none.
  [[nodiscard]] virtual const TeamJob* find(std::string_view key) const = 0;
  /// Returns what people who look at the list have to know about it: that it may be out of date or
  /// incomplete; "" for nothing.
  [[nodiscard]] virtual std::string notice() const = 0;
  /// Returns what could not be read, for whoever runs the portal.
  [[nodiscard]] virtual const std::vector<std::string>& troubles() const = 0;
  /// Makes a job readable here, in its current state. NotFound if there is no such job; Unavailable
  /// if its cluster does not answer. Only one call at a time per job.
  [[nodiscard]] virtual rt::Async<Result<TeamReading>> open(std::string key) = 0;
};

}  // namespace muster::cluster
