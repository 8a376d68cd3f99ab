#pragma once

#include "agent/checkpoint_store.h"
#include "os/files.h"

#include <map>
#include <string>

namespace muster::app {

/// Opens stores of checkpoints in HDFS for agents: in a container of YARN with the configuration
/// that the client sent along, elsewhere with that of `environment`. `files` outlives what it
/// opens.
[[nodiscard]] agent::OpenCheckpointStore hdfs_checkpoints(
    os::Files& files, std::map<std::string, std::string> environment);

}  // namespace muster::app
