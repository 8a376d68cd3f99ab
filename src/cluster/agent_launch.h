#pragma once

#include "base/result.h"
#include "base/time.h"
#include "cluster/link.h"
#include "spec/settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster {

/// Everything that an agent gets at its start: the master's order and what the cluster adds. Its
/// text form travels on the cluster's own secret channel (local: a pipe that only stub, keeper and
/// agent ever hold).
struct AgentLaunch {
  LaunchOrder order;
  std::string job_folder;   ///< JobFolder's root as this host sees it.
  std::string listen_host;  ///< The numeric IP address to listen on and to publish.
  spec::Network network;    ///< Its interface, if any, replaces `listen_host` on the agent's host.
  uint16_t task_port = 0;   ///< Not 0: the port of its task, whatever the range says.
  std::vector<uint32_t>
      gpus;  ///< Indices of this container's GPUs; its tasks share them in slot order.
  Duration orphan = std::chrono::minutes(15);  ///< Until the plan's own value is known.
};

/// Returns the text form: lines of `key=value`; values must hold no newline.
[[nodiscard]] std::string encode(const AgentLaunch& launch);

/// Corrupt for anything that encode() does not make.
[[nodiscard]] Result<AgentLaunch> decode_agent_launch(std::string_view text);

/// No launch is longer.
inline constexpr size_t kAgentLaunchMax = 16U << 10;

}  // namespace muster::cluster
