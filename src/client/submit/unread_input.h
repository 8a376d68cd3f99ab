#pragma once

namespace muster::client {

/// Whether something waits to be read from `fd`: a file that is not at its end, or what somebody
/// has already written into a pipe or socket. Never of a terminal; takes nothing and does not wait.
[[nodiscard]] bool has_unread_input(int fd);

}  // namespace muster::client
