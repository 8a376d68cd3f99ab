#pragma once

#include "account/evidence.h"
#include "cluster/job_folder.h"
#include "os/file/files.h"

#include <cstddef>
#include <vector>

namespace muster::client {

/// How many submissions of one name are compared, the newest ones.
inline constexpr size_t kSubmissionsCompared = 5;

/// Returns for each file that a job took along how often its content was new, in that submission
/// and those before it of the same name, as far as this host made them and has their folders still.
/// Empty where the cluster keeps no files, or the job was submitted elsewhere.
[[nodiscard]] std::vector<account::StagedAgain> sent_again(os::Files& files,
                                                           const cluster::JobFolder& job);

}  // namespace muster::client
