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

/// Those children of `parents` that have ended, and whose end nobody has asked for.
[[nodiscard]] std::vector<os::ProcessInfo> ended_children(
    const std::vector<os::ProcessInfo>& parents);

/// Returns whether a process whose main thread has that name runs Python.
[[nodiscard]] bool is_python(const os::ProcessInfo& process, std::string_view name);

}  // namespace muster::agent
