#pragma once

#include "cluster/cluster.h"
#include "cluster/home.h"
#include "os/file/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::testing {

/// A cluster as the contract test sees it, with the means to do there what masters and tasks do.
class ClusterBed {
 public:
  virtual ~ClusterBed() = default;
  virtual cluster::Cluster& cluster() = 0;
  virtual os::Files& files() = 0;
  /// Where its jobs have their folders.
  [[nodiscard]] virtual cluster::Home home() const = 0;

  /// Task worker:0 writes to its standard output.
  virtual void write(const cluster::JobFolder& job, std::string_view text) = 0;
  /// The job's master ends it as succeeded; returns once that is done.
  virtual void end(const cluster::JobFolder& job) = 0;
  /// Every process of the job is killed, and nobody starts its master again; returns false if the
  /// cluster itself does. Returns once that is done.
  virtual bool lose(const cluster::JobFolder&) { return false; }
  /// Jobs wait in a queue from now on, or no longer; false if there is no queue.
  virtual bool hold_queue(bool) { return false; }
  /// Returns whether the job's master was told that the job is followed; nullopt if the bed cannot
  /// tell.
  [[nodiscard]] virtual std::optional<bool> is_told_of_follower(const cluster::JobFolder&) {
    return std::nullopt;
  }
  /// Returns whether some requests can never be granted.
  [[nodiscard]] virtual bool has_limits() const { return true; }
};

using MakeBed = std::function<std::unique_ptr<ClusterBed>()>;

/// What every cluster owes the commands: one list of behaviours, run against each cluster. A
/// cluster's own test instantiates it with its bed:
///
///     INSTANTIATE_TEST_SUITE_P(Local, ClusterContract, ::testing::Values(make_local_bed));
class ClusterContract : public ::testing::TestWithParam<MakeBed> {
 protected:
  ClusterContract() : bed_(GetParam()()), cluster_(bed_->cluster()) {}

  /// Makes a job's folder, as a client does, and submits it.
  [[nodiscard]] Result<cluster::JobFolder> try_submit(const std::string& id,
                                                      const std::string& memory = "64m",
                                                      bool followed = false);
  /// The same for a job that must be accepted.
  cluster::JobFolder submit(const std::string& id);
  [[nodiscard]] std::vector<std::string> listed(bool running, bool ended);
  [[nodiscard]] cluster::JobReport report(const cluster::JobFolder& job);

  std::unique_ptr<ClusterBed> bed_;
  cluster::Cluster& cluster_;
};

/// A separate folder for one test, removed with it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Makes plans as the whole program does.
[[nodiscard]] Result<job::Plan> plan_of_spec(const std::string& spec_json,
                                             const std::string& job_id, uint64_t seed);

}  // namespace muster::testing
