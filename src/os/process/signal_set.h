#pragma once

#include <string_view>

namespace muster::os {

/// Returns the rest of the line in /proc/PID/status that begins with `key` ("NSpid:"), without
/// surrounding spaces; "" if there is no such line.
[[nodiscard]] std::string_view status_field(std::string_view status, std::string_view key);

/// Returns whether a signal set in /proc/PID/status contains `signal`: that of "SigIgn:", "SigCgt:"
/// or "SigBlk:".
[[nodiscard]] bool holds_signal(std::string_view status, std::string_view key, int signal);

}  // namespace muster::os
