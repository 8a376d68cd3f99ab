#pragma once

#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster {

/// Which ended jobs may be removed.
struct RetentionRules {
  std::optional<Duration> older_than;       ///< By their end; nullopt: whatever their age.
  std::optional<uint64_t> total_max_bytes;  ///< Of all jobs on one disk; the oldest go first.
  bool total_asked = false;  ///< The user named the total: it is refused where none is kept to.
  Duration young{};          ///< Jobs that ended more recently than this are exempt from the total.
  bool dry_run = false;
  bool in_turn = false;  ///< If several hosts clean one place: only if none has within a day.
};

struct Retained {
  bool due = true;                   ///< False: `in_turn`, and it is not this host's turn.
  std::string where;                 ///< The folder that was cleaned; "" for this host's.
  std::vector<std::string> removed;  ///< Ids, oldest first.
  std::optional<uint64_t> files;     ///< Shared files removed, where the cluster has such.
  uint64_t freed_bytes = 0;
  std::optional<uint64_t> left_bytes;  ///< Where it is known.
  std::vector<std::string> troubles;   ///< What could not be removed, and why.
};

/// Returns whether a day has passed since it was last cleaned. Both times are of one clock; a time
/// in the future was written before the clock was corrected.
[[nodiscard]] bool cleaning_is_due(WallTime last, WallTime now);

}  // namespace muster::cluster
