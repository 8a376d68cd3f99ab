#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/finding.h"
#include "cluster/fit.h"
#include "cluster/job_folder.h"
#include "cluster/job_list.h"
#include "cluster/job_report.h"
#include "cluster/outputs.h"
#include "cluster/retention.h"
#include "cluster/team_jobs.h"
#include "cluster/wait_reason.h"
#include "job/plan.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::rt {
class IoLoop;
}  // namespace muster::rt

namespace muster::cluster {

/// A job that is ready to start: its folder holds spec.yaml, plan.json and the secrets (0600).
struct Submission {
  const job::Plan* plan = nullptr;
  std::filesystem::path job_folder;
  std::filesystem::path
      working_folder;  ///< Where the user stood; `files` were resolved against the spec.
  /// The submitter follows the job at once: the master keeps what tasks write before the submitter
  /// is connected, and briefly waits for them before it exits.
  bool followed = false;
};

/// What commands need to know about a cluster without contacting it.
struct Traits {
  /// Tasks run on other hosts: the user's folder does not exist there, and the tasks' folders are
  /// removed with their containers.
  bool remote = false;
  /// It has HDFS, which tasks reach with `muster fs`: what they store there outlives the job.
  bool hdfs = false;
  /// Containers have a size, which the cluster keeps: `spec::give_sizes` fills in what a job leaves
  /// open.
  bool sized = false;
  /// Jobs can be submitted on another user's behalf.
  bool proxies = false;
  /// How long a client keeps looking for a master that does not answer. Long if the cluster starts
  /// masters itself and says when a job has ended.
  Duration master_patience = std::chrono::seconds(30);
  /// Where the jobs of all users are by default, as in TeamOptions::homes; "": the folders have to
  /// be named.
  std::string_view team_homes;
};

/// How much of a job fetch() waits for.
enum class FetchUntil : uint8_t {
  Now,  ///< What is written by now.
  End,  ///< The caller knows that the job ends: waits some seconds for its summary.
};

/// The client's side of a cluster: everything that a command wants to know about a job, or to have
/// done to it, wherever it runs. Commands are written once, against this interface. Calls block; no
/// loop is needed. A job is named by its folder on this host (`$MUSTER_HOME/jobs/ID`), which
/// submission or find() creates.
///
/// What a cluster cannot do it refuses with unsupported(). Other errors: NotFound for a job that
/// the cluster does not know; Unavailable for a cluster that does not answer.
class Cluster {
 public:
  virtual ~Cluster() = default;
  /// The name that users give it: "local", "yarn", or one from the site file.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Traits traits() const = 0;

  /// Compares the plan with what the cluster has; requests nothing.
  virtual Result<Fit> fit(const job::Plan& plan) = 0;
  /// Starts the master, or hands the job to a queue. A job that can never fit is refused before
  /// anything is started (code NeverFits, with the numbers). Not idempotent: a second call
  /// submits another job.
  virtual Result<MasterPlace> submit(const Submission& submission) = 0;

  /// Returns one page of this user's jobs, newest first: those that have not ended, then those that
  /// have.
  virtual Result<JobsPage> jobs(const JobsQuery& query) = 0;
  /// Finds a job by its id, a unique prefix of that, the cluster's own id, or "last", and makes its
  /// folder here, if that is missing: plan, and secret as long as it lives. NotFound with the id;
  /// an ambiguous prefix names candidates.
  virtual Result<JobFolder> find(const std::string& id) = 0;
  /// Returns the current state of the job.
  virtual Result<JobReport> report(const JobFolder& job) = 0;
  /// Makes the job readable in its folder: the log as far as it is written, and the summary if it
  /// has ended, which is made from the cluster's messages if the master wrote none. Does nothing
  /// where the job is kept in its folder anyway. Idempotent. Returns report().
  virtual Result<JobReport> fetch(const JobFolder& job, FetchUntil until) = 0;
  /// Makes the job's sample files readable in its folder (JobFolder::metrics()), as far as they are
  /// written. Where they are there anyway, waits a moment for the last of a job that has just
  /// ended. Idempotent.
  virtual Status fetch_samples(const JobFolder& job) = 0;
  /// Returns what this user's jobs have found about the cluster's hosts, as lines for
  /// account::HostBook; "" if nothing is known.
  virtual Result<std::string> host_lines() = 0;
  /// Returns the output of the job's tasks that `filter` admits. Nothing is fetched until
  /// Outputs::refresh. The job's folder must be readable.
  virtual Result<std::unique_ptr<Outputs>> outputs(const JobFolder& job,
                                                   const LogFilter& filter) = 0;
  /// Returns why the job makes no progress, beyond what its log and master say, and what to change;
  /// the causes in `context.refused`, with the cluster's advice, come first. Empty if nothing
  /// blocks the job.
  virtual Result<std::vector<WaitReason>> why(const JobFolder& job, const WaitContext& context) = 0;
  /// A link to the job's page, for users; NotFound while there is none.
  virtual Result<std::string> page(const JobFolder& job) = 0;
  /// Returns the jobs of all users, for a portal on `loop`, which must outlive them. Errors are
  /// those of the configuration.
  virtual Result<std::unique_ptr<TeamJobs>> team_jobs(rt::IoLoop& loop,
                                                      const TeamOptions& team) = 0;
  /// The last resort for a job whose master does not answer: ends the job without its help. `who`
  /// is named in the outcome. A success for a job that is over; repeatable.
  virtual Status kill(const JobFolder& job, const std::string& who) = 0;

  /// Removes what old jobs have left. Never touches a job that may still run.
  virtual Result<Retained> retain(const RetentionRules& rules) = 0;
  /// Checks whether jobs can run there; `doctor`'s findings. Blocks for seconds, with Deep for
  /// minutes.
  virtual Result<std::vector<Finding>> examine(ExamineDepth depth) = 0;
};

/// The error of a cluster that cannot do something: "CLUSTER cannot WHAT: REASON" (Unsupported, the
/// user's move).
[[nodiscard]] Error unsupported(const Cluster& cluster, std::string_view what,
                                std::string_view reason);

/// Returns where the master in charge of a job listens. Unavailable, with the cluster's message,
/// while the job waits for a master; NotFound if the job is over or has lost its master.
[[nodiscard]] Result<MasterPlace> locate(Cluster& cluster, const JobFolder& job);
/// The same, from a report.
[[nodiscard]] Result<MasterPlace> place_in(const JobReport& report, const JobFolder& job);

}  // namespace muster::cluster
