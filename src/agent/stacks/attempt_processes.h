#pragma once

#include "os/process/process_tree.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// The processes of the attempt whose environment is `mine`, for a session of the same agent:
/// children of the agent, but no sessions, and everything below them. Parents come before children.
[[nodiscard]] std::vector<os::ProcessInfo> attempt_processes(
    const std::map<std::string, std::string>& mine);

/// Whether a process whose main thread has that name runs Python.
[[nodiscard]] bool is_python(const os::ProcessInfo& process, std::string_view name);

}  // namespace muster::agent
