#pragma once

#include "base/log.h"
#include "base/result.h"
#include "eventlog/log_file.h"
#include "master/decider.h"
#include "master/deps.h"

#include <string>
#include <vector>

namespace muster::master {

/// Where a master begins: with a new job, or with what the log of earlier masters says.
struct Opened {
  Decider::Start start;
  std::vector<eventlog::Record> records;  ///< Of earlier masters; empty for a new job.
  std::vector<std::string> damages;       ///< Which parts of the log could not be read, for people.
  WallTime started{};                     ///< Wall clock of job time 0.

  [[nodiscard]] job::Epoch epoch() const { return start.header.epoch; }
  [[nodiscard]] bool recovered() const { return !records.empty(); }
};

/// Reads what exists and creates the segment of the next epoch, which fences older masters. Errors:
/// AlreadyExists if another master was quicker; Corrupt or Unsupported if the log cannot be
/// continued; what `plan_of` and the store return.
[[nodiscard]] Result<Opened> open_job(const MasterDeps& deps, const MasterOptions& options);

}  // namespace muster::master
