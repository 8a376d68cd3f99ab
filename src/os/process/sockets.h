#pragma once

#include "os/process/pid.h"
#include "os/process/threads.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::os {

/// The sockets by which others can reach a process.
struct ProcessSockets {
  /// The descriptors of sockets that accept connections, or datagrams, from anybody; ascending.
  std::vector<int32_t> taking;
  /// Whether there is one of those, or a connection over a network.
  bool reachable = false;
  /// The other ends, by descriptor: "10.0.0.5:5432", "[fe80::1]:80". For connections over a
  /// network, for those being made, and for datagrams that go to one address.
  std::map<int32_t, std::string> peers;
};

/// Lists the sockets of a process that others can reach. nullopt if that may not be seen, or if the
/// host has so many that looking is too expensive.
[[nodiscard]] std::optional<ProcessSockets> list_sockets(Pid pid);

/// For a socket that sends all its datagrams to one address, returns that address: "10.0.0.2:53";
/// "" for any other. Costs far less than list_sockets(): hosts have few such sockets.
[[nodiscard]] std::string datagram_peer(Pid pid, int32_t descriptor);

/// How many bytes a TCP connection has received and sent.
struct BytesOver {
  uint64_t received = 0;
  uint64_t sent = 0;  ///< Confirmed by the other end.
};
/// nullopt for anything but a TCP connection, and if that may not be seen.
[[nodiscard]] std::optional<BytesOver> bytes_over(Pid pid, int32_t descriptor);

/// Returns the descriptors that a thread is waiting for in its system call: that of a read or an
/// accept, or those of an epoll, poll or select. Empty if it waits for none, or that is hidden.
[[nodiscard]] std::vector<int32_t> awaited_descriptors(Pid pid, const ThreadState& thread);

}  // namespace muster::os
