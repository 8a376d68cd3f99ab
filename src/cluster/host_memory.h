#pragma once

#include "base/result.h"
#include "rt/async.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::cluster {

/// What a user's jobs on one cluster have found about its hosts: a file of lines
/// (account/host_book.h) in the place that the jobs share, to which the master of each job adds a
/// line as it ends. Losing a line costs advice, never a job. Lives on the loop's thread; nothing
/// here blocks it.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// Adds a line, which must end in a line break. When there are too many, the oldest are dropped.
  [[nodiscard]] virtual rt::Async<Status> add(std::string line) = 0;
};

/// The file's name in that place.
inline constexpr std::string_view kHostMemoryName = "hosts.jsonl";
/// How much of it is kept: about a thousand jobs.
inline constexpr uint64_t kHostMemoryKept = 256U << 10;
/// Far above any such file; guards a reader's memory.
inline constexpr uint64_t kHostMemoryMax = 4U << 20;

/// Returns the newest whole lines of `lines` that fit into `bytes`.
[[nodiscard]] std::string_view newest_lines(std::string_view lines, uint64_t bytes);

}  // namespace muster::cluster
