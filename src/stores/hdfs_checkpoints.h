#pragma once

#include "agent/checkpoint/checkpoint_store.h"
#include "base/result.h"
#include "os/file/files.h"

#include <map>
#include <string>

namespace muster::stores {

/// Opens checkpoint stores in HDFS for agents: in a YARN container with the configuration that the
/// client sent along, elsewhere with that of `environment`. `files` must outlive what it opens.
[[nodiscard]] agent::OpenCheckpointStore hdfs_checkpoints(
    os::Files& files, std::map<std::string, std::string> environment);

/// Returns whether agents of this host will find the file system of `checkpoint.to`, an address:
/// its configuration exists and names it. Contacts nothing. The error says what to do.
[[nodiscard]] Status check_hdfs_checkpoints(os::Files& files,
                                            std::map<std::string, std::string> environment,
                                            const std::string& address);

}  // namespace muster::stores
