#pragma once

#include "hadoop/yarn/resource.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::yarn {

enum class QueueState : uint8_t { Unknown, Stopped, Running, Draining };

/// What a queue has, waits for and still could give.
struct QueueStatistics {
  int64_t apps_submitted = 0;
  int64_t apps_running = 0;
  int64_t apps_pending = 0;
  int64_t apps_completed = 0;
  int64_t apps_killed = 0;
  int64_t apps_failed = 0;
  int64_t active_users = 0;
  int64_t available_mb = 0;
  int64_t allocated_mb = 0;
  int64_t pending_mb = 0;
  int64_t reserved_mb = 0;
  int64_t available_vcores = 0;
  int64_t allocated_vcores = 0;
  int64_t pending_vcores = 0;
  int64_t reserved_vcores = 0;
  int64_t allocated_containers = 0;
  int64_t pending_containers = 0;
  int64_t reserved_containers = 0;

  bool operator==(const QueueStatistics&) const = default;
};

/// A queue's share of one partition of the nodes. Capacities are fractions, 0..1.
struct QueueShare {
  float capacity = 0;
  float absolute_capacity = 0;
  float max_capacity = 0;
  float absolute_max_capacity = 0;
  float max_master_share = 0;  ///< For application masters.
  std::optional<Resource> effective_min;
  std::optional<Resource> effective_max;

  bool operator==(const QueueShare&) const = default;
};

struct QueueInfo {
  std::string name;
  std::string path;  ///< "" from resource managers before 3.4.
  QueueState state = QueueState::Unknown;
  float capacity = 0;
  float max_capacity = 0;
  float used_capacity = 0;
  std::vector<std::string> labels;  ///< That it may use; "*" for all.
  std::string default_label;
  bool preemption_disabled = false;
  std::optional<QueueStatistics> statistics;
  std::map<std::string, QueueShare> shares;  ///< By partition; "" is the default one.
  std::vector<QueueInfo> children;

  bool operator==(const QueueInfo&) const = default;
};

/// What the asking user may do in a queue.
struct QueueRights {
  std::string queue;  ///< Its name; since Hadoop 3.4 its path.
  bool submit = false;
  bool administer = false;

  bool operator==(const QueueRights&) const = default;
};

[[nodiscard]] std::string_view to_string(QueueState state);

}  // namespace muster::hadoop::yarn
