#pragma once

#include "cluster/yarn/yarn_cluster.h"
#include "job/outcome.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace muster::app {

/// Begins what the cluster is told when a job is stopped that has no master yet.
inline constexpr std::string_view kStoppedBy = "stopped by ";

/// How a job ended that somebody stopped, in the words of whoever knows of it.
[[nodiscard]] job::Outcome stopped_outcome(std::string words);

/// Returns how a job ended whose master left no summary, as its cluster tells it. A master that
/// said farewell gave the result; of an application that ended otherwise `words` are all there is,
/// by which a stop (kStoppedBy) is told from what others killed.
[[nodiscard]] job::Outcome outcome_of(const hadoop::yarn::ApplicationReport& report,
                                      std::string words);

/// The same for the job in `job_folder`, whose application is over. Where the cluster cannot be
/// asked: failed, with `words`.
[[nodiscard]] job::Outcome ask_outcome(cluster::yarn::YarnCluster& cluster,
                                       const std::filesystem::path& job_folder, std::string words);

}  // namespace muster::app
