#pragma once

#include "base/log.h"
#include "cluster/link.h"
#include "eventlog/status.h"
#include "master/decider.h"
#include "master/deps.h"

#include <string>

namespace muster::master {

/// What the master reports about the job: the status document and, at the end, the summary.
class JobReport {
 public:
  struct Deps {
    const Decider& decider;
    const cluster::Link& link;
    cluster::PlaceStore& place;
    const MasterOptions& options;
    log::Logger log;
  };

  /// `started`: wall clock at job time 0.
  JobReport(Deps deps, WallTime started) : deps_(deps), started_(started) {}

  /// Returns the status document (schema muster.status/1).
  [[nodiscard]] std::string status() const;
  /// Returns whether the log cannot be written now, which is not a fact.
  [[nodiscard]] bool log_is_stuck() const;
  /// Writes the summary of the ended job into the space reserved for it. A failure goes to the log.
  void write_summary() const;

 private:
  [[nodiscard]] eventlog::StatusContext context() const;

  Deps deps_;
  WallTime started_;
};

}  // namespace muster::master
