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

/// Parses JOB:TASK:PATH; without a path it is the working folder of the task's program. What begins
/// with / or . is a path on this machine, and so is anything without a colon.
[[nodiscard]] Result<CopyPlace> copy_place_of(const std::string& text);

/// Returns the place in each of the tasks that are meant: one, or all of a role. Reads the job if a
/// role is named.
[[nodiscard]] Result<std::vector<CopyPlace>> each_task(Session& session, const CopyPlace& place,
                                                       const std::string& on);

/// Returns a task's name in a form for file names: "worker-0" for "worker:0".
[[nodiscard]] std::string file_name_of(const CopyPlace& place);

}  // namespace muster::client
