#pragma once

#include "base/result.h"
#include "cluster/yarn/wait_reasons.h"
#include "cluster/yarn/yarn_cluster.h"

#include <filesystem>
#include <string>

namespace muster::cluster::yarn {

/// What is asked of the cluster, for WaitFacts.
struct WaitAsk {
  hadoop::yarn::Resource largest;
  std::string label;
};

/// Asks the resource manager, by its calls and its pages, why a job's application waits. Takes some
/// seconds: the scheduler must pass by the application once. Errors: the application cannot be
/// asked for; what else cannot be read is left out.
[[nodiscard]] Result<WaitFacts> look_at_wait(YarnCluster& cluster,
                                             const std::filesystem::path& job_folder, WaitAsk ask);

}  // namespace muster::cluster::yarn
