#pragma once

#include "stacks/stack_report.h"

/// Recognizes programs that have nothing to do until they receive a request.
namespace muster::stacks {

/// Returns whether a thread is in a call in which servers wait for their next request. Other
/// programs use those calls, too.
[[nodiscard]] bool waits_for_events(const Thread& thread);
/// Returns whether it is in the code of a widely used server.
[[nodiscard]] bool is_in_server(const Thread& thread);
/// Returns whether it is in the loop of Python's socketserver, which polls for a request twice a
/// second and so need not be asleep when it is looked at.
[[nodiscard]] bool is_between_polls(const Thread& thread);
/// Returns whether it waits for the next request: in such a server, for a connection, or for a
/// datagram from anybody.
[[nodiscard]] bool is_serving(const Thread& thread);
/// Returns the thread by which a process serves; in Python only a Python thread counts, since
/// libraries have servers for their own purposes (torch.distributed's store). nullptr if there is
/// none.
[[nodiscard]] const Thread* server_of(const Process& process);
/// Returns whether it sleeps until a signal tells it to continue or to end.
[[nodiscard]] bool waits_for_signal(const Thread& thread);
/// Returns whether it waits for another Python thread, or a signal handler, to set an Event.
[[nodiscard]] bool waits_for_flag(const Thread& thread);
/// Returns whether it waits for another Python or Java thread to end.
[[nodiscard]] bool joins_thread(const Thread& thread);

}  // namespace muster::stacks
