#pragma once

#include "base/result.h"
#include "cluster/job_folder.h"
#include "control/keys.h"
#include "os/file/files.h"

namespace muster::client {

/// Reads the secret that identifies a job's own client; it lies in the job's folder.
[[nodiscard]] Result<control::Secret> read_secret(os::Files& files,
                                                  const cluster::JobFolder& folder);

}  // namespace muster::client
