#include "job/outcome.h"

#include "base/check.h"

namespace muster::job {

std::string_view to_string(JobResult value) {
  switch (value) {
    case JobResult::Succeeded:
      return "succeeded";
    case JobResult::Failed:
      return "failed";
    case JobResult::Stopped:
      return "stopped";
  }
  MUSTER_CHECK(false, "unknown JobResult");
}

std::string_view to_string(OutcomeReason value) {
  switch (value) {
    case OutcomeReason::Completed:
      return "completed";
    case OutcomeReason::ProgramFailed:
      return "program_failed";
    case OutcomeReason::ClusterFailed:
      return "cluster_failed";
    case OutcomeReason::StoppedByUser:
      return "stopped_by_user";
    case OutcomeReason::DeadlinePassed:
      return "deadline_passed";
    case OutcomeReason::Refused:
      return "refused";
  }
  MUSTER_CHECK(false, "unknown OutcomeReason");
}

int exit_status(OutcomeReason reason) {
  switch (reason) {
    case OutcomeReason::Completed:
      return 0;
    case OutcomeReason::ProgramFailed:
      return 1;
    case OutcomeReason::ClusterFailed:
      return 3;
    case OutcomeReason::StoppedByUser:
      return 4;
    case OutcomeReason::DeadlinePassed:
      return 5;
    case OutcomeReason::Refused:
      return 6;
  }
  MUSTER_CHECK(false, "unknown OutcomeReason");
}

}  // namespace muster::job
