#pragma once

#include "base/result.h"
#include "eventlog/log_file.h"
#include "job/machine.h"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::eventlog {

/// Makes the Plan from what a log's header (or a master's welcome) holds: the resolved Spec's text,
/// the job's id and seed. The same inputs give the same Plan.
using PlanOf = std::function<Result<job::Plan>(const std::string& plan_json,
                                               const std::string& job_id, uint64_t seed)>;

/// A job according to its log.
struct Replayed {
  job::Machine machine;
  uint64_t next_index = 0;  ///< Of the record that would come next.
  Time last_at{};           ///< Job time and wall clock of the last record.
  WallTime last_wall{};
  WallTime started{};  ///< Wall clock of job time 0.
};

/// Applies all records of `log`. Pure. Records never go back in time: one that does is taken at the
/// time of the one before it. Errors are those of `plan_of`.
[[nodiscard]] Result<Replayed> replay(const Log& log, const PlanOf& plan_of);

/// Returns whether this binary's machine may continue with the job (not only show it): Unsupported
/// names both versions.
[[nodiscard]] Status can_continue(const Header& header);

}  // namespace muster::eventlog
