#pragma once

#include "hadoop/yarn/ids.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class ApplicationState : uint8_t {
  Unknown,  ///< A state that this program does not know.
  New,
  NewSaving,
  Submitted,
  Accepted,  ///< Waiting for its master's container, or for the master to register.
  Running,
  Finished,
  Failed,
  Killed,
};

/// The result as reported by the application master.
enum class FinalStatus : uint8_t { Undefined, Succeeded, Failed, Killed, Ended };

/// What the resource manager reports about an application. Times in ms since 1970, 0 while unknown.
struct ApplicationReport {
  ApplicationId id;
  std::string queue;
  std::string type;
  std::vector<std::string> tags;
  ApplicationState state = ApplicationState::Unknown;
  FinalStatus final_status = FinalStatus::Undefined;
  std::string diagnostics;
  std::string host;  ///< Where the master says it listens; "" until then.
  int32_t rpc_port = -1;
  int64_t submitted_ms = 0;
  int64_t started_ms = 0;
  int64_t finished_ms = 0;
  std::string user = {};  ///< Who submitted it, as identified by the cluster.

  bool operator==(const ApplicationReport&) const = default;
};

/// Node counts.
struct ClusterMetrics {
  int32_t nodes = 0;
  int32_t active = 0;

  bool operator==(const ClusterMetrics&) const = default;
};

[[nodiscard]] std::string_view to_string(ApplicationState state);

/// Returns whether the application has ended: nothing about it changes any more.
[[nodiscard]] bool is_over(ApplicationState state);

}  // namespace muster::hadoop::yarn
