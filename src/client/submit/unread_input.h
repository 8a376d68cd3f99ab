#pragma once

namespace muster::client {

/// Returns whether input is waiting to be read from `fd`: a file that is not at its end, or data
/// already written into a pipe or socket. Never true for a terminal; consumes nothing and does not
/// wait.
[[nodiscard]] bool has_unread_input(int fd);

}  // namespace muster::client
