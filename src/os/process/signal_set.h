#pragma once

#include <string_view>

namespace muster::os {

/// The rest of the line of a /proc/PID/status that begins with `key` ("NSpid:"), without the spaces
/// around it; "" without such a line.
[[nodiscard]] std::string_view status_field(std::string_view status, std::string_view key);

/// Tells whether a set of signals in a /proc/PID/status holds `signal`: that of "SigIgn:",
/// "SigCgt:" or "SigBlk:".
[[nodiscard]] bool holds_signal(std::string_view status, std::string_view key, int signal);

}  // namespace muster::os
