#pragma once

#include "client/home.h"
#include "os/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// What may go. A job that has not ended is never touched while a process of it holds its lock.
struct CleanRules {
  std::optional<Duration> older_than;  ///< nullopt: whatever its age.
  std::optional<uint64_t> total_max_bytes;
  Duration young{};  ///< Jobs that ended more recently do not go because of the total.
  bool dry_run = false;
};

struct Cleaned {
  std::vector<std::string> removed;  ///< Ids, oldest first.
  uint64_t freed_bytes = 0;
  uint64_t left_bytes = 0;
  std::vector<std::string> troubles;  ///< What could not be removed, and why.
};

/// Removes ended jobs by age, then the oldest ended ones until all jobs together fit.
[[nodiscard]] Result<Cleaned> clean_home(os::Files& files, const Home& home,
                                         const CleanRules& rules, WallTime now);

}  // namespace muster::client
