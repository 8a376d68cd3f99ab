#pragma once

#include "job/outcome.h"

#include <optional>
#include <string>
#include <variant>

namespace muster::cluster {

/// Where a job's master can be reached.
struct MasterPlace {
  std::string address;         ///< "host:port" of the control channel; "" while it is queued.
  std::string application_id;  ///< The cluster's own id for the job; "" if it has none.
};

/// It has no master at the moment; the cluster will start one.
struct Queued {
  std::string reason;  ///< From the cluster's message.
};
/// Its master is in charge.
struct Running {
  MasterPlace place;
};
struct Ended {
  job::Outcome outcome;  ///< As far as the cluster can tell.
  std::string words;     ///< The cluster's own; "" for none.
};
/// It has not ended but has no master: the machine went down, or every process was killed.
struct Lost {};

/// The state of a job, as its cluster knows it.
using JobReport = std::variant<Queued, Running, Ended, Lost>;

/// Returns the outcome of a job that somebody stopped, in the words of whoever knows about it.
[[nodiscard]] job::Outcome stopped_outcome(std::string words);

}  // namespace muster::cluster
