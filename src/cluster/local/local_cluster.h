#pragma once

#include "cluster/cluster.h"
#include "cluster/home.h"
#include "cluster/local/claims.h"
#include "cluster/local/master_launcher.h"
#include "eventlog/replay.h"
#include "os/file/files.h"
#include "os/host/hardware.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::local {

/// The client's side of the local cluster: the master is a process of this machine, and everything
/// there is to know about a job is in its folder.
class LocalCluster final : public Cluster {
 public:
  struct Options {
    /// The jobs in `home` whose plan.json gives this name are this cluster's.
    std::string name = "local";
    Home home;
    std::filesystem::path program;                   ///< This binary.
    std::map<std::string, std::string> environment;  ///< MasterLauncher::Options::environment.
    eventlog::PlanOf plan_of;
    /// Refuses a `checkpoint.to` with a scheme if agents of this machine could not reach it; empty:
    /// none is refused.
    std::function<Status(const std::string& address)> check_checkpoints;
    std::optional<os::Hardware> hardware;  ///< nullopt: look at this machine.
    std::filesystem::path claims = ClaimFolder::default_folder();
    std::function<WallTime()> now;
  };

  /// `files` must outlive this.
  LocalCluster(os::Files& files, Options options);

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  [[nodiscard]] Traits traits() const override { return {}; }
  Result<Fit> fit(const job::Plan& plan) override;
  Result<MasterPlace> submit(const Submission& submission) override;
  Result<JobsPage> jobs(const JobsQuery& query) override;
  Result<JobFolder> find(const std::string& id) override;
  Result<JobReport> report(const JobFolder& job) override;
  Result<JobReport> fetch(const JobFolder& job, FetchUntil) override { return report(job); }
  Status fetch_samples(const JobFolder& job) override;
  Result<std::string> host_lines() override;
  Result<std::unique_ptr<Outputs>> outputs(const JobFolder& job, const LogFilter& filter) override;
  Result<std::vector<WaitReason>> why(const JobFolder& job, const WaitContext& context) override;
  Result<std::string> page(const JobFolder& job) override;
  Result<std::unique_ptr<TeamJobs>> team_jobs(rt::IoLoop& loop, const TeamOptions& team) override;
  Status kill(const JobFolder& job, const std::string& who) override;
  Result<Retained> retain(const RetentionRules& rules) override;
  Result<std::vector<Finding>> examine(ExamineDepth depth) override;

 private:
  const os::Hardware& hardware();
  [[nodiscard]] Result<std::optional<ListedJob>> listed(const JobEntry& entry,
                                                        const JobsQuery& query);

  os::Files& files_;
  Options options_;
  MasterLauncher launcher_;
};

/// Compares a plan with a machine. Roles that wait for others to end do not run at the same time as
/// those; in a gang, all others do, and must fit together. `held`: what is in use now.
[[nodiscard]] Fit fit_plan(const job::Plan& plan, const os::Hardware& hardware,
                           const std::vector<Held>& held);

/// Describes a machine in words: "23.4 GiB of memory, 2 cores, no GPUs".
[[nodiscard]] std::string describe(const os::Hardware& hardware);

}  // namespace muster::cluster::local
