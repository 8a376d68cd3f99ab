#pragma once

#include "job/plan.h"

#include <cstdint>
#include <string>
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
  /// What applies because the job does not say: "memory: no limit but the machine's 23.4 GiB".
  std::vector<std::string> assumed;
  std::vector<std::string> warnings;  ///< "8 vcores on a machine with 2 cores".

  /// Returns the first reason why the job can never fit, or nullptr.
  [[nodiscard]] const std::string* never() const;
};

}  // namespace muster::cluster
