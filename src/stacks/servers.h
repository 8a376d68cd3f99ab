#pragma once

#include "stacks/stack_report.h"

/// Programs that have nothing to do until somebody asks them for something.
namespace muster::stacks {

/// Whether a thread is in a call in which servers wait for their next request. Others use them,
/// too.
[[nodiscard]] bool waits_for_events(const Thread& thread);
/// Whether it is in the code of a server that is widely used.
[[nodiscard]] bool is_in_server(const Thread& thread);
/// Whether it waits for the next request: in such a server, or for a connection.
[[nodiscard]] bool is_serving(const Thread& thread);
/// Whether it waits for another thread of Python to end.
[[nodiscard]] bool joins_thread(const Thread& thread);

}  // namespace muster::stacks
