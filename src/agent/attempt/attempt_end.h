#pragma once

#include "agent/attempt/task_run.h"
#include "agent/job_context.h"
#include "job/failure.h"
#include "wire/frame.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::agent {

/// Says what an attempt's end counts as: its code or signal and, unless it succeeded, its failure
/// with evidence, which has none of the job's secrets in it. `stopped`: it was told to end.
[[nodiscard]] job::Exit judge(JobContext& job, const TaskRun& run, const TaskRun::Ended& ended,
                              bool stopped);

/// Output that the disk did not take.
struct LostOutput {
  uint64_t bytes = 0;   ///< Of both streams.
  std::string trouble;  ///< The last.
  std::string remark;   ///< A line for people, in brackets.
};

/// Nothing where all of it is in the logs.
[[nodiscard]] std::optional<LostOutput> lost_output(const TaskRun& run);

/// Adds a line to a failure's evidence, which stays within its bounds.
void add_evidence(job::Failure& failure, const std::string& line);

}  // namespace muster::agent
