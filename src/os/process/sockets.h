#pragma once

#include "os/process/pid.h"
#include "os/process/threads.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::os {

/// What may come to a process from elsewhere.
struct ProcessSockets {
  /// The descriptors of sockets that take connections, or datagrams, from anybody; ascending.
  std::vector<int32_t> taking;
  /// Whether there is one of those, or a connection over a network.
  bool reachable = false;
  /// Where the other ends are, by descriptor: "10.0.0.5:5432", "[fe80::1]:80". Of connections over
  /// a network, of those that are being made, and of datagrams that go to one address.
  std::map<int32_t, std::string> peers;
};

/// Lists the sockets of a process that others can reach. nullopt where that may not be seen, or
/// where the host has so many that looking is too dear.
[[nodiscard]] std::optional<ProcessSockets> list_sockets(Pid pid);

/// Returns where the datagrams of a socket go that sends all to one address: "10.0.0.2:53"; "" of
/// any other. Costs far less than list_sockets(): hosts have few such sockets.
[[nodiscard]] std::string datagram_peer(Pid pid, int32_t descriptor);

/// How many bytes a TCP connection has brought and taken away.
struct BytesOver {
  uint64_t received = 0;
  uint64_t sent = 0;  ///< That the other end has confirmed.
};
/// nullopt of what is no TCP connection, and where that may not be seen.
[[nodiscard]] std::optional<BytesOver> bytes_over(Pid pid, int32_t descriptor);

/// Returns the descriptors for which a thread waits in its system call: that of a read or an
/// accept, those of an epoll, a poll or a select. Empty where it waits for none, or that is hidden.
[[nodiscard]] std::vector<int32_t> awaited_descriptors(Pid pid, const ThreadState& thread);

}  // namespace muster::os
