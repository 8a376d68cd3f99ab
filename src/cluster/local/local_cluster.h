#pragma once

#include "base/time.h"
#include "cluster/cluster.h"
#include "cluster/job_folder.h"
#include "cluster/local/claims.h"
#include "os/files.h"
#include "os/hardware.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster::local {

/// The client's side of the local cluster: the master is a process of this machine, started apart
/// from the client's terminal, so that it lives on when that closes.
class LocalCluster final : public Cluster {
 public:
  struct Options {
    std::filesystem::path program;  ///< This binary.
    std::map<std::string, std::string>
        environment;  ///< Of the client: the master, and all tasks, inherit it.
    std::optional<os::Hardware> hardware;  ///< nullopt: look at this machine.
    std::filesystem::path claims = ClaimFolder::default_folder();
    Duration start_deadline = std::chrono::seconds(30);
  };

  /// What a master is given beside its job, where it serves another cluster than this machine.
  struct MasterExtras {
    std::vector<std::string> words;  ///< Added to its command line.
    int fd = -1;                     ///< Inherited as kMasterLinkFd; -1 for none.
  };

  LocalCluster(os::Files& files, Options options) : files_(files), options_(std::move(options)) {}

  [[nodiscard]] std::string_view name() const override { return "local"; }
  Result<Fit> fit(const job::Plan& plan) override;
  Result<MasterPlace> submit(const Submission& submission) override;
  Result<MasterPlace> locate(const std::filesystem::path& job_folder) override;

  /// Starts a master on this machine and waits until it can be reached, whatever its plan asks.
  Result<std::string> start_master(const Submission& submission, const MasterExtras& extras);

 private:
  const os::Hardware& hardware();

  os::Files& files_;
  Options options_;
};

/// Compares a plan with a machine. Roles that wait for others to end are not there at the same
/// time; in a gang all others are, and must fit together. `held`: what is in use now.
[[nodiscard]] Fit fit_plan(const job::Plan& plan, const os::Hardware& hardware,
                           const std::vector<Held>& held);

/// "23.4 GiB of memory, 2 cores, no GPUs": a machine in words.
[[nodiscard]] std::string describe(const os::Hardware& hardware);

}  // namespace muster::cluster::local
