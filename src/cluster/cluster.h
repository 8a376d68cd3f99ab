#pragma once

#include "base/result.h"
#include "job/plan.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// What one role asks of the cluster, and whether it can ever have it.
struct RoleFit {
  std::string role;
  uint32_t containers = 0;
  job::Resources each;
  bool fits_ever = true;
  bool fits_now = true;
  std::string reason;  ///< With the numbers, when one of them is false.
};

struct Fit {
  std::vector<RoleFit> roles;
  std::string capacity;  ///< For people: "this machine: 23.4 GiB of memory, 2 cores, no GPUs".
  std::vector<std::string> warnings;  ///< "8 vcores on a machine with 2 cores".

  /// Returns the first reason why the job can never fit, or nullptr.
  [[nodiscard]] const std::string* never() const;
};

/// A job that is ready to start: its folder holds spec.yaml, plan.json and the secrets (0600).
struct Submission {
  const job::Plan* plan = nullptr;
  std::filesystem::path job_folder;
  std::filesystem::path
      working_folder;  ///< Where the user stood; `files` were resolved against the spec.
  /// Who submits follows the job at once: a master on this machine waits for them before it goes.
  bool followed = false;
};

/// Where a job's master can be reached.
struct MasterPlace {
  std::string address;         ///< "host:port" of the control channel.
  std::string application_id;  ///< The cluster's own id of the job; "" on local.
};

/// The client's side of a cluster: capacity, submission, finding a job's master again. Calls block;
/// no loop is needed.
class Cluster {
 public:
  virtual ~Cluster() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Compares the plan with what the cluster has; asks nobody for anything.
  virtual Result<Fit> fit(const job::Plan& plan) = 0;
  /// Starts the master and waits until it can be reached. An ask that can never fit is refused
  /// before anything is started (code NeverFits, with the numbers).
  virtual Result<MasterPlace> submit(const Submission& submission) = 0;
  /// Finds the master of a running job; NotFound when it is gone.
  virtual Result<MasterPlace> locate(const std::filesystem::path& job_folder) = 0;
};

}  // namespace muster::cluster
