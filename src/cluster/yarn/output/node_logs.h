#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// What a node manager's web service reports about a container's log files.
namespace muster::cluster::yarn {

struct NodeLogFile {
  std::string name;
  uint64_t size_bytes = 0;

  bool operator==(const NodeLogFile&) const = default;
};

/// Parses /ws/v1/node/containers/ID/logs; Corrupt if it is not that.
[[nodiscard]] Result<std::vector<NodeLogFile>> parse_node_logs(std::string_view json);

/// A piece of a log file; a view into the page it arrived in.
struct NodeLogPiece {
  uint64_t file_bytes = 0;  ///< The whole file's size when it was read.
  std::string_view bytes;   ///< Its end, or all of it.
};
/// Parses /ws/v1/node/containers/ID/logs/NAME?size=-`asked_bytes`.
[[nodiscard]] Result<NodeLogPiece> parse_node_log(std::string_view page, uint64_t asked_bytes);

/// Returns whether a file in a container's log folder is a task's output, a rotated part of it, or
/// its time index: "worker-0.1.stdout", "worker-0.1.stdout.2", "worker-0.1.stdout.times".
[[nodiscard]] bool is_task_log(std::string_view name);

}  // namespace muster::cluster::yarn
