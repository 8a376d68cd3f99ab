#pragma once

#include <string>
#include <string_view>

namespace muster::cluster {

/// The command that shows the output of a job whose tasks' files lie on the cluster's hosts; a task
/// may be added to it.
[[nodiscard]] inline std::string logs_command(std::string_view job_id) {
  return "muster logs " + std::string(job_id);
}

}  // namespace muster::cluster
