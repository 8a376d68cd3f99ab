#pragma once

#include "stacks/stack_report.h"

/// Programs that have nothing to do until somebody asks them for something.
namespace muster::stacks {

/// Whether a thread is in a call in which servers wait for their next request. Others use them,
/// too.
[[nodiscard]] bool waits_for_events(const Thread& thread);
/// Whether it is in the code of a server that is widely used.
[[nodiscard]] bool is_in_server(const Thread& thread);
/// Whether it is in the loop of Python's socketserver that asks twice a second for a request, and
/// so need not be asleep when it is looked at.
[[nodiscard]] bool is_between_polls(const Thread& thread);
/// Whether it waits for the next request: in such a server, for a connection, or for a datagram of
/// anybody.
[[nodiscard]] bool is_serving(const Thread& thread);
/// The thread by which a process serves; of Python one of Python's own, as libraries have servers
/// for their own ends (torch.distributed's store). nullptr if there is none.
[[nodiscard]] const Thread* server_of(const Process& process);
/// Whether it sleeps until a signal tells it to go on, or to end.
[[nodiscard]] bool waits_for_signal(const Thread& thread);
/// Whether it waits for another thread of Python, or a signal's handler, to set an Event.
[[nodiscard]] bool waits_for_flag(const Thread& thread);
/// Whether it waits for another thread of Python or Java to end.
[[nodiscard]] bool joins_thread(const Thread& thread);

}  // namespace muster::stacks
