#pragma once

#include "base/result.h"
#include "client/session.h"

#include <string>
#include <vector>

namespace muster::client {

/// One side of a copy.
struct CopyPlace {
  std::string job;   ///< Empty: this machine.
  std::string task;  ///< "worker:0", or "chief" for the only one of its role.
  std::string path;
};

/// Reads JOB:TASK:PATH; without a path it is where the task's program works. What begins with / or
/// . is a path of this machine, and so is what has no colon.
[[nodiscard]] Result<CopyPlace> copy_place_of(const std::string& text);

/// Returns the place in each of the tasks that it means: one, or all of a role. Reads the job where
/// a role is named.
[[nodiscard]] Result<std::vector<CopyPlace>> each_task(Session& session, const CopyPlace& place,
                                                       const std::string& on);

/// The name of a task for a file: "worker-0" for "worker:0".
[[nodiscard]] std::string file_name_of(const CopyPlace& place);

}  // namespace muster::client
