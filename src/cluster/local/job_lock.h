#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rt/fd.h"

#include <filesystem>

namespace muster::cluster::local {

/// Takes the lock of a job: whoever holds it is its master. It belongs to the open file
/// description, so it passes to a child with the descriptor, without a moment in which nobody has
/// it, and is released with the last process that holds it. AlreadyExists while another process
/// holds it. The file is made if it is missing, and locked before it gets its name, so a lock file
/// that nobody holds means that a master is gone. A file system without hard links leaves a moment
/// between the two.
[[nodiscard]] Result<rt::Fd> take_job_lock(const std::filesystem::path& path);

/// Returns whether somebody holds the lock.
[[nodiscard]] bool job_lock_is_held(const std::filesystem::path& path);

/// Waits until nobody holds the lock, for at most `patience`. Returns whether it is free. Blocks.
bool wait_for_job_lock(const std::filesystem::path& path, Duration patience);

}  // namespace muster::cluster::local
