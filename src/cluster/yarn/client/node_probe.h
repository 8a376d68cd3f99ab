#pragma once

#include "cluster/finding.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// Runs a job of one container on a YARN cluster and tells what its node has: python3 and the
/// frameworks it finds, whether programs can be executed where jobs lie and in the folder for
/// temporary files, and Hadoop's Java classes for libhdfs. A job, because the nodes' own settings
/// and mounts are nowhere else to be seen; one node, the one that the cluster picks. Blocks for
/// minutes where the queue is full. `on`: as typed.
[[nodiscard]] std::vector<Finding> probe_node(const std::filesystem::path& program,
                                              const std::map<std::string, std::string>& environment,
                                              const std::string& on);

/// What the output of such a job means; `exit_code`: the command's.
[[nodiscard]] std::vector<Finding> findings_of_probe(std::string_view output, int exit_code);

}  // namespace muster::cluster::yarn
