#pragma once

#include "cluster/job_folder.h"
#include "os/file/files.h"

#include <cstdint>

namespace muster::cluster::local {

/// Returns whether a process of this machine is a master of that job; its pid may have been reused.
/// Goes by the job's id, since the folder may have been named by another path.
[[nodiscard]] bool is_master_of(os::Files& files, int32_t pid, const JobFolder& job);

}  // namespace muster::cluster::local
