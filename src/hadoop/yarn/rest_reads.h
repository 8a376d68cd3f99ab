#pragma once

#include "base/result.h"
#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reads the JSON of the resource manager's REST pages. Fields that a version lacks keep their
/// defaults; Corrupt if it is not the expected page at all.
namespace muster::hadoop::yarn {

/// What the Fair Scheduler allows a queue.
struct FairLimits {
  Resource most;                            ///< Of all its containers together.
  Resource share;                           ///< Its current share of the cluster.
  std::optional<int64_t> applications_max;  ///< How many may run at once.

  bool operator==(const FairLimits&) const = default;
};

/// A queue, as the scheduler's page shows it. Capacities are the Capacity Scheduler's, in percent.
struct QueueLoad {
  std::string path;  ///< "root.default".
  double capacity = 0;
  double used = 0;
  double max = 0;
  double absolute_used = 0;
  int64_t pending_containers = 0;
  Resource resources_used;
  Resource master_limit;  ///< For all application masters together.
  Resource master_used;
  std::optional<FairLimits> fair;  ///< Only for queues of the Fair Scheduler.

  bool operator==(const QueueLoad&) const = default;
};

/// Why the scheduler did or did not place a request of an application.
struct Activity {
  std::string state;       ///< "ALLOCATED", "SKIPPED", "RESERVED", ...
  std::string diagnostic;  ///< "Node does not have sufficient resource for request", ...
  std::vector<std::string> nodes;
  int64_t count = 1;  ///< How many nodes reported the same.

  bool operator==(const Activity&) const = default;
};

/// Returns all queues of the Capacity or Fair Scheduler, parents before their children. Unsupported
/// for any other scheduler.
[[nodiscard]] Result<std::vector<QueueLoad>> parse_scheduler_page(std::string_view json);
[[nodiscard]] Result<std::vector<Activity>> parse_activities_page(std::string_view json);
/// Returns the value of the one setting that was asked for.
[[nodiscard]] Result<std::string> parse_setting_page(std::string_view json);
/// Returns the text of a refusal: its "RemoteException" message, or "".
[[nodiscard]] std::string parse_refusal(std::string_view json);

}  // namespace muster::hadoop::yarn
