#pragma once

#include "control/keys.h"

#include <cstddef>
#include <string>

namespace muster::bench {

/// Many agents without tasks, in a process of their own: each has its own encrypted connection to
/// the master, joins, answers its orders at once and beats every second.
///
/// Made before the master's process has threads or much memory of its own; the destructor ends the
/// agents' process.
class AgentsProcess {
 public:
  /// Starts the process; its agents are those of containers "c1" to "c<count>".
  AgentsProcess(size_t count, const control::Secret& secret);
  ~AgentsProcess();
  AgentsProcess(const AgentsProcess&) = delete;
  AgentsProcess& operator=(const AgentsProcess&) = delete;

  /// Lets all agents dial the master at "host:port".
  void dial(const std::string& master);

 private:
  int child_ = -1;
  int tell_ = -1;
};

}  // namespace muster::bench
