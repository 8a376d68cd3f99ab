#pragma once

#include "agent/attempt/task_run.h"
#include "agent/job_context.h"
#include "job/failure.h"
#include "wire/frame.h"

#include <cstdint>
#include <optional>
#include <string>

namespace muster::agent {

/// Returns what an attempt's end counts as: its exit code or signal and, unless it succeeded, its
/// failure with evidence from which the job's secrets are removed. `stopped`: it was told to end.
[[nodiscard]] job::Exit judge(JobContext& job, const TaskRun& run, const TaskRun::Ended& ended,
                              bool stopped);

/// Output that could not be written to disk.
struct LostOutput {
  uint64_t bytes = 0;   ///< Of both streams.
  std::string trouble;  ///< The last.
  std::string remark;   ///< A line for people, in brackets.
};

/// Returns nothing if all output is in the logs.
[[nodiscard]] std::optional<LostOutput> lost_output(const TaskRun& run);

/// Adds a line to a failure's evidence, keeping the evidence within its bounds.
void add_evidence(job::Failure& failure, const std::string& line);

}  // namespace muster::agent
