#pragma once

#include "base/result.h"
#include "cluster/yarn/output/container_log_parser.h"
#include "hadoop/configuration.h"
#include "hadoop/hdfs/file_system.h"
#include "hadoop/yarn/ids.h"
#include "rt/async.h"

#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Reads one node's file of aggregated logs in HDFS from start to end, passing its content to
/// `sink`. Both must outlive the coroutine. Errors are HDFS's; Corrupt and Unsupported for the
/// format.
[[nodiscard]] rt::Async<Status> read_aggregated_log(hadoop::hdfs::FileSystem* files,
                                                    std::string path, const ContainerLogSink* sink);

/// Returns the folders in which an application's aggregated logs may be, the likeliest first, since
/// versions and settings of clusters differ.
[[nodiscard]] std::vector<std::string> aggregated_log_folders(
    const hadoop::Configuration& configuration, const std::string& user,
    const hadoop::yarn::ApplicationId& application);

}  // namespace muster::cluster::yarn
