#pragma once

#include "cluster/cluster.h"
#include "cluster/home.h"
#include "cluster/yarn/client/client_session.h"
#include "cluster/yarn/staging/job_directory.h"
#include "eventlog/replay.h"
#include "os/file/files.h"
#include "spec/spec.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// The client's side of a YARN cluster: what its resource manager, HDFS and nodes report about a
/// user's jobs, whichever host they were submitted from.
class YarnCluster final : public Cluster {
 public:
  struct Options {
    std::string name = "yarn";      ///< As the user calls it.
    ClientSession::Options client;  ///< Configuration and environment.
    std::filesystem::path program;  ///< This binary: all that is shipped.
    Home home;                      ///< Where jobs of the cluster get their folders.
    eventlog::PlanOf plan_of;
    /// Returns the values given by all layers except a job's own; called when the staging root is
    /// needed.
    std::function<Result<spec::Spec>()> defaults;
  };

  /// `files` must outlive this.
  YarnCluster(os::Files& files, Options options);

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  [[nodiscard]] Traits traits() const override;
  Result<Fit> fit(const job::Plan& plan) override;
  Result<MasterPlace> submit(const Submission& submission) override;
  Result<JobsPage> jobs(const JobsQuery& query) override;
  Result<JobFolder> find(const std::string& id) override;
  Result<JobReport> report(const JobFolder& job) override;
  Result<JobReport> fetch(const JobFolder& job, FetchUntil until) override;
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
  Result<JobDirectory*> directory();
  [[nodiscard]] Status add_running(const JobsQuery& query, JobsPage& page);
  [[nodiscard]] Status add_ended(const JobsQuery& query, JobsPage& page);

  os::Files& files_;
  Options options_;
  ClientSession session_;
  std::string root_;                       ///< Where in HDFS the jobs are; "" before it is needed.
  std::optional<JobDirectory> directory_;  ///< Of `root_`.
};

}  // namespace muster::cluster::yarn
