#pragma once

#include "base/time.h"
#include "job/failure.h"
#include "job/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::job {

/// How a job, or a task's part in it, came out.
enum class JobResult : uint8_t { Succeeded, Failed, Stopped };

/// Which kind of end decided the outcome; the client's exit status derives from it
/// (docs/failures.md).
enum class OutcomeReason : uint8_t {
  Completed,       ///< Succeeded. Exit status 0.
  ProgramFailed,   ///< The user's program failed. 1.
  ClusterFailed,   ///< Lost hosts, preemption, infrastructure budget spent. 3.
  StoppedByUser,   ///< Somebody asked. 4.
  DeadlinePassed,  ///< 5.
  Refused,         ///< The cluster will never grant what is asked. 6.
};

/// The first cause of a failure, settled.
struct FirstCause {
  AttemptId attempt;
  HostName host;
  ContainerId container;
  std::optional<int32_t> exit_code;
  std::optional<int32_t> signal;
  Failure failure;
  uint32_t victims = 0;  ///< How many other attempts of the same wave ended because of it.
  bool operator==(const FirstCause&) const = default;
};

/// The job's end. Set once and never changed.
struct Outcome {
  JobResult result = JobResult::Succeeded;
  OutcomeReason reason = OutcomeReason::Completed;
  /// The class of the first cause, or "deadline.run", "stop.user", "cluster.refused"; "" on
  /// success.
  std::string class_name;
  /// One sentence: why, with the numbers. On success, "" or what was tolerated.
  std::string message;
  std::optional<FirstCause> first_cause;
  bool operator==(const Outcome&) const = default;
};

/// Returns the exit status of the command line for `reason`: 0, 1, 3, 4, 5 or 6.
[[nodiscard]] int exit_status(OutcomeReason reason);

[[nodiscard]] std::string_view to_string(JobResult result);
[[nodiscard]] std::string_view to_string(OutcomeReason reason);

}  // namespace muster::job
