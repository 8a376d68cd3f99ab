#pragma once

#include "cluster/job_folder.h"

#include <string>
#include <string_view>

namespace muster::cluster {

/// The command that shows the output of a job whose tasks' files lie on the cluster's hosts; a task
/// may be added to it.
[[nodiscard]] inline std::string logs_command(std::string_view job_id) {
  return "muster logs " + std::string(job_id);
}

/// Where the output of a job's tasks is: its folder here, or, of a job that its cluster knows under
/// `application_id`, the command that shows it.
[[nodiscard]] inline std::string place_of_logs(const JobFolder& folder,
                                               std::string_view application_id) {
  return application_id.empty() ? folder.logs().string() : logs_command(folder.id().value);
}

}  // namespace muster::cluster
