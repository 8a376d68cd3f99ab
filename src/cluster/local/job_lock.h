#pragma once

#include "base/result.h"
#include "base/time.h"
#include "rt/fd.h"

#include <filesystem>

namespace muster::cluster::local {

/// The lock of a job: whoever holds it is its master. It belongs to the open file description, so
/// that it passes to a child with the descriptor, without a moment in which nobody has it, and goes
/// with the last process that holds it. AlreadyExists while another holds it. The file is made if
/// it is missing, and is taken before it has its name: whoever finds one that nobody holds knows
/// that a master is gone. A file system without hard links leaves a moment between the two.
[[nodiscard]] Result<rt::Fd> take_job_lock(const std::filesystem::path& path);

/// Returns whether somebody holds the lock.
[[nodiscard]] bool job_lock_is_held(const std::filesystem::path& path);

/// Waits until nobody holds the lock, for `patience` at most. Returns whether nobody does. Blocks.
bool wait_for_job_lock(const std::filesystem::path& path, Duration patience);

}  // namespace muster::cluster::local
