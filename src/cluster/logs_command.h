#pragma once

#include <string>
#include <string_view>

namespace muster::cluster {

/// The command that shows the output of a job whose tasks' files lie on YARN's hosts.
[[nodiscard]] inline std::string logs_command(std::string_view application_id) {
  return "yarn logs -applicationId " + std::string(application_id);
}

}  // namespace muster::cluster
