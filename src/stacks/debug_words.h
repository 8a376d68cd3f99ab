#pragma once

#include <string>
#include <vector>

/// How a client asks for a closer look at a process of a task, as `muster debug` does.
namespace muster::stacks {

/// Returns the command that a session runs for that: the agent's own program.
[[nodiscard]] std::vector<std::string> debug_command();

/// The exit status of a probe if there is no py-spy, and the client may send one.
inline constexpr int kNoPySpy = 69;

}  // namespace muster::stacks
