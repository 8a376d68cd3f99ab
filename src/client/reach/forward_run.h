#pragma once

#include "base/time.h"
#include "client/session.h"
#include "spec/keys/keys.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// What is to be made reachable from this machine.
struct ForwardPlan {
  spec::Reach way = spec::Reach::Forward;  ///< What the person asked for, for the site's rules.
  struct Port {
    uint16_t local = 0;  ///< Of 127.0.0.1; 0: any free one.
    uint16_t remote = 0;
  };
  std::string task;  ///< Empty: the chief, or the only task there is.
  std::vector<Port> ports;
  std::optional<uint16_t> socks;  ///< Instead: the port for all hosts of the job.
  Duration wait = std::chrono::minutes(1);
  bool by_master = false;  ///< Never dial the task's host; have the master relay everything.
  bool any_user = false;   ///< Let every user of this machine connect, not only this one and root.
  /// Returns what to print about the first port, once; empty: which port it is.
  std::function<std::string(uint16_t local)> announce = {};
};

/// Listens on 127.0.0.1 and passes connections on to the task's host, until it is interrupted or
/// the job ends; returns the exit status.
[[nodiscard]] int forward_to_task(Session& session, const std::string& job, const std::string& on,
                                  const ForwardPlan& plan);

}  // namespace muster::client
