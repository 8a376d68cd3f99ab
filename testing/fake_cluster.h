#pragma once

#include "cluster/cluster.h"
#include "cluster/home.h"
#include "eventlog/replay.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::testing {

/// A cluster whose jobs are in memory and whose hosts are one folder. It is complete, so that it
/// shows what a cluster has to do, and commands can be tried against it. A job is queued while its
/// queue is held, otherwise it runs at once; a test plays its tasks and its master. Output and
/// summary lie on the hosts and come into a job's folder only when they are requested.
class FakeCluster : public cluster::Cluster {
 public:
  struct Options {
    std::string name = "fake";
    cluster::Home home;           ///< Where jobs have their folders.
    std::filesystem::path hosts;  ///< The one folder of all hosts.
    eventlog::PlanOf plan_of;
    std::function<WallTime()> now;
    uint64_t memory_bytes = uint64_t{8} << 30;  ///< Of the largest container.
  };

  /// `files` outlives this.
  FakeCluster(os::Files& files, Options options) : files_(files), options_(std::move(options)) {}

  // What happens on the cluster.
  /// Jobs wait until the queue is let go; those that are running go on.
  void hold_queue(bool hold);
  /// Appends `text` to the standard output of a task's attempt.
  void write(const cluster::JobFolder& job, std::string_view stream, std::string_view text);
  /// The master exits with that outcome.
  void end(const cluster::JobFolder& job, job::Outcome outcome);
  /// The master disappears, and no other comes.
  void lose(const cluster::JobFolder& job);

  [[nodiscard]] std::string_view name() const override { return options_.name; }
  [[nodiscard]] cluster::Traits traits() const override { return {.remote = true}; }
  Result<cluster::Fit> fit(const job::Plan& plan) override;
  Result<cluster::MasterPlace> submit(const cluster::Submission& submission) override;
  Result<cluster::JobsPage> jobs(const cluster::JobsQuery& query) override;
  Result<cluster::JobFolder> find(const std::string& id) override;
  Result<cluster::JobReport> report(const cluster::JobFolder& job) override;
  Result<cluster::JobReport> fetch(const cluster::JobFolder& job,
                                   cluster::FetchUntil until) override;
  Status fetch_samples(const cluster::JobFolder& job) override;
  Result<std::string> host_lines() override { return std::string(); }
  Result<std::unique_ptr<cluster::Outputs>> outputs(const cluster::JobFolder& job,
                                                    const cluster::LogFilter& filter) override;
  Result<std::vector<cluster::WaitReason>> why(const cluster::JobFolder& job,
                                               const cluster::WaitContext& context) override;
  Result<std::string> page(const cluster::JobFolder& job) override;
  Result<std::unique_ptr<cluster::TeamJobs>> team_jobs(rt::IoLoop& loop,
                                                       const cluster::TeamOptions& team) override;
  Status kill(const cluster::JobFolder& job, const std::string& who) override;
  Result<cluster::Retained> retain(const cluster::RetentionRules& rules) override;
  Result<std::vector<cluster::Finding>> examine(cluster::ExamineDepth depth) override;

 private:
  struct Known {
    cluster::JobReport report;
    std::string plan_json;
    WallTime submitted{};
    WallTime ended{};
  };

  [[nodiscard]] Result<Known*> known(const cluster::JobFolder& job);
  [[nodiscard]] std::filesystem::path host_of(const std::string& id) const {
    return options_.hosts / id;
  }
  [[nodiscard]] cluster::Running running(const std::string& id) const;

  os::Files& files_;
  Options options_;
  std::map<std::string, Known> jobs_;  ///< By id.
  bool held_ = false;
};

}  // namespace muster::testing
