#pragma once

#include "base/result.h"
#include "cluster/find_variable.h"
#include "os/file/files.h"
#include "spec/settings.h"

#include <map>
#include <string>

/// A role's Docker container, as node managers start it.
namespace muster::cluster::yarn {

/// Returns the launch variables that request a node manager's Docker runtime. The container shares
/// its host's network, since tasks and agents are reached at the host's address.
[[nodiscard]] std::map<std::string, std::string> docker_environment(const spec::Docker& docker);

/// Called by what a container starts. A node manager without a Docker runtime silently ignores
/// those variables, and the tasks would run with what the host has; that is an error here, which
/// says what to change.
[[nodiscard]] Status check_runs_in_docker(os::Files& files, const FindVariable& find);

}  // namespace muster::cluster::yarn
