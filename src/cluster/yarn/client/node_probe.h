#pragma once

#include "cluster/finding.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::yarn {

/// Runs a job of one container on a YARN cluster and reports what its node has: python3 and the
/// frameworks it finds, whether programs can be executed where jobs are placed and in the folder
/// for temporary files, and Hadoop's Java classes for libhdfs. It takes a job, because the nodes'
/// own settings and mounts cannot be seen otherwise; it sees one node, picked by the cluster.
/// Blocks for minutes if the queue is full. `on`: as typed.
[[nodiscard]] std::vector<Finding> probe_node(const std::filesystem::path& program,
                                              const std::map<std::string, std::string>& environment,
                                              const std::string& on);

/// Returns what the output of such a job means; `exit_code` is the command's.
[[nodiscard]] std::vector<Finding> findings_of_probe(std::string_view output, int exit_code);

}  // namespace muster::cluster::yarn
