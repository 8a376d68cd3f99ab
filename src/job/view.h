#pragma once

#include "job/ids.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::job {

/// Where one attempt can be reached. Ports are in 1..65535.
struct Address {
  std::string host;  ///< Name or literal that peers dial: "127.0.0.1", "node7".
  uint16_t port = 0;
  std::map<std::string, uint16_t> named_ports;  ///< The role's `ports:` by name.
  bool operator==(const Address&) const = default;
};

/// One task of a generation.
struct Member {
  TaskId task;
  uint32_t attempt = 0;  ///< The attempt's number.
  Address address;
  HostName host;
  ContainerId container;
  /// Position within its container, from 0: LOCAL_RANK when all its tasks are ranked.
  uint32_t slot = 0;
  bool operator==(const Member&) const = default;
};

/// The membership of one generation; immutable once its generation is current. Members are in order
/// of (role, index); a task without an address (not joined under `as_granted`, or ended) is not
/// listed.
struct View {
  Generation generation;
  std::vector<Member> members;
  bool operator==(const View&) const = default;
};

}  // namespace muster::job
