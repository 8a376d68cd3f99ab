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
  std::string owner;  ///< As the cluster knows it, whatever the job says itself.
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
  /// Those that it has been on; while it runs, as of some seconds ago.
  std::vector<eventlog::HostShare> hosts = {};
  std::string page = {};  ///< A link to the page that it has itself; "" where a portal knows none.

  /// "alice:digits-7f3k2q": its name in links, which nobody else's job can take.
  [[nodiscard]] std::string key() const { return owner + ":" + id; }
};

/// Takes over what a job asked for. A specification that this version cannot read leaves the job
/// without a name and without viewers: its owner alone sees it.
void take_plan(const eventlog::PlanFile& plan, TeamJob& job);
/// No log of a running job that is longer is read for a list.
inline constexpr uint64_t kTeamLogBytesMax = 16U << 20;
/// No job with a longer log is shown, and those that are kept at hand have no longer ones together:
/// far above those of the largest jobs.
inline constexpr uint64_t kTeamOpenLogBytesMax = 64U << 20;
/// Returns how long a job's event log is; 0 where it cannot be seen.
[[nodiscard]] uint64_t log_bytes_of(os::Files& files, const JobFolder& folder);
/// Returns which hosts a job has been on by now, from its log. Errors: what `plan_of` says.
[[nodiscard]] Result<std::vector<eventlog::HostShare>> hosts_so_far(
    const eventlog::Log& log, const eventlog::PlanOf& plan_of);
/// Takes over how a job ended.
void take_summary(const eventlog::Summary& summary, TeamJob& job);

/// A job of a team that can be read on this host.
struct TeamReading {
  JobFolder folder;
  JobReport report;
  /// Has what the tasks wrote brought into the folder, as far as it is written. Called once at a
  /// time, and not after the TeamJobs.
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
  /// How much all jobs may take there together, in bytes; what one job's tasks wrote, and what was
  /// measured of it, may take a part of it each, one of kTeamShares.
  uint64_t disk_max = 0;
};
/// Twice as many as threads that copy: with half of the disk in use none of them waits for room.
inline constexpr uint64_t kTeamShares = 16;

/// The jobs of all users of a cluster, as a portal lists them. Keeps of each job some hundred
/// bytes. Lives on the loop that it was made for.
class TeamJobs {
 public:
  virtual ~TeamJobs() = default;
  /// Takes in what is new. Never waits for other hosts: what comes from these comes by itself, and
  /// may be some seconds old.
  virtual void refresh(WallTime now) = 0;
  /// Newest first, as of the last refresh().
  [[nodiscard]] virtual const std::vector<const TeamJob*>& jobs() const = 0;
  /// By its key; nullptr if there is none.
  [[nodiscard]] virtual const TeamJob* find(std::string_view key) const = 0;
  /// What people who look at the list have to know about it: that it may be old, or is not whole
  /// yet; "" for nothing.
  [[nodiscard]] virtual std::string notice() const = 0;
  /// What could not be read, for who runs the portal.
  [[nodiscard]] virtual const std::vector<std::string>& troubles() const = 0;
  /// Makes a job readable here, as it stands now. NotFound for no such job; Unavailable where its
  /// cluster does not answer. Of each job only one call at a time.
  [[nodiscard]] virtual rt::Async<Result<TeamReading>> open(std::string key) = 0;
};

}  // namespace muster::cluster
