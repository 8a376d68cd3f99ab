#pragma once

#include "base/log.h"
#include "cluster/link.h"
#include "eventlog/status.h"
#include "master/decider.h"
#include "master/deps.h"

#include <string>

namespace muster::master {

/// What the master tells people about the job: the status document and, at the end, the summary.
class JobReport {
 public:
  struct Deps {
    const Decider& decider;
    const cluster::Link& link;
    cluster::PlaceStore& place;
    const MasterOptions& options;
    log::Logger log;
  };

  /// `started`: wall clock of job time 0.
  JobReport(Deps deps, WallTime started) : deps_(deps), started_(started) {}

  /// The status document (schema muster.status/1).
  [[nodiscard]] std::string status() const;
  /// Whether the log cannot be written now: something that no fact says.
  [[nodiscard]] bool log_is_stuck() const;
  /// Keeps the summary of the ended job, in the room that was held free for it. A failure goes to
  /// the log.
  void write_summary() const;

 private:
  [[nodiscard]] eventlog::StatusContext context() const;

  Deps deps_;
  WallTime started_;
};

}  // namespace muster::master
