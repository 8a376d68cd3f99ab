#pragma once

#include <string>

namespace muster::inside {

/// Returns a variable of this process's environment; "" where it is not set.
[[nodiscard]] std::string variable(const char* name);

/// Writes a message to the task's standard error, on one line.
void complain(const std::string& message);

}  // namespace muster::inside
