#pragma once

#include "cluster/cluster.h"

#include <filesystem>
#include <functional>

namespace muster::cluster::spark {

/// The client's side of a Spark application: the driver's Python is the client. Which executors
/// there will be, and when, only Spark knows: every plan fits. How the master's process is started
/// on the driver's machine, and found again there, is the wiring's.
class SparkCluster final : public Cluster {
 public:
  struct Options {
    std::function<Result<MasterPlace>(const Submission&)> start_master;
    std::function<Result<MasterPlace>(const std::filesystem::path& job_folder)> locate;
  };

  explicit SparkCluster(Options options) : options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const override { return "spark"; }
  Result<Fit> fit(const job::Plan& plan) override;
  Result<MasterPlace> submit(const Submission& submission) override {
    return options_.start_master(submission);
  }
  Result<MasterPlace> locate(const std::filesystem::path& job_folder) override {
    return options_.locate(job_folder);
  }

 private:
  Options options_;
};

}  // namespace muster::cluster::spark
