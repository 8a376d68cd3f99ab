#pragma once

#include "cluster/job_folder.h"

#include <string>
#include <string_view>

namespace muster::cluster {

/// Returns the command that shows the output of a job whose tasks' files are on the cluster's
/// hosts; a task may be appended.
[[nodiscard]] inline std::string logs_command(std::string_view job_id) {
  return "muster logs " + std::string(job_id);
}

/// Returns where the output of a job's tasks is: its folder here or, for a job that its cluster
/// knows under `application_id`, the command that shows it.
[[nodiscard]] inline std::string place_of_logs(const JobFolder& folder,
                                               std::string_view application_id) {
  return application_id.empty() ? folder.logs().string() : logs_command(folder.id().value);
}

}  // namespace muster::cluster
