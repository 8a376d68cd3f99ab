#pragma once

#include "cluster/cluster.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::spark {

/// The client's side of a Spark application; the driver's Python is the client. Only Spark knows
/// which executors there will be, and when, so every plan fits. The master is a process on the
/// driver's machine, so that machine reports everything about a job that has begun.
class SparkCluster final : public Cluster {
 public:
  /// Starts a job's master next to the driver; empty if no driver has started this process.
  using StartMaster = std::function<Result<MasterPlace>(const Submission&)>;

  /// `host`: the cluster of the driver's machine, which lists the jobs of this one.
  SparkCluster(std::unique_ptr<Cluster> host, StartMaster start_master)
      : host_(std::move(host)), start_master_(std::move(start_master)) {}

  [[nodiscard]] std::string_view name() const override { return host_->name(); }
  [[nodiscard]] Traits traits() const override;
  Result<Fit> fit(const job::Plan& plan) override;
  Result<MasterPlace> submit(const Submission& submission) override;
  Result<JobsPage> jobs(const JobsQuery& query) override { return host_->jobs(query); }
  Result<JobFolder> find(const std::string& id) override { return host_->find(id); }
  Result<JobReport> report(const JobFolder& job) override { return host_->report(job); }
  Result<JobReport> fetch(const JobFolder& job, FetchUntil until) override {
    return host_->fetch(job, until);
  }
  Status fetch_samples(const JobFolder& job) override { return host_->fetch_samples(job); }
  /// Spark chooses the hosts itself.
  Result<std::string> host_lines() override { return std::string(); }
  Result<std::unique_ptr<Outputs>> outputs(const JobFolder& job, const LogFilter& filter) override {
    return host_->outputs(job, filter);
  }
  Result<std::vector<WaitReason>> why(const JobFolder& job, const WaitContext& context) override {
    return host_->why(job, context);
  }
  Result<std::string> page(const JobFolder& job) override { return host_->page(job); }
  Result<std::unique_ptr<TeamJobs>> team_jobs(rt::IoLoop& loop, const TeamOptions& team) override {
    return host_->team_jobs(loop, team);
  }
  Status kill(const JobFolder& job, const std::string& who) override {
    return host_->kill(job, who);
  }
  Result<Retained> retain(const RetentionRules& rules) override;
  Result<std::vector<Finding>> examine(ExamineDepth depth) override;

 private:
  [[nodiscard]] Status check_driver() const;

  std::unique_ptr<Cluster> host_;
  StartMaster start_master_;
};

}  // namespace muster::cluster::spark
