#pragma once

#include "base/result.h"
#include "cluster/job_report.h"
#include "cluster/yarn/client/client_session.h"
#include "eventlog/replay.h"
#include "rt/async.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace muster::cluster::yarn {

/// How much of a job is copied; more than that is an error.
struct FetchLimits {
  uint64_t log_bytes_max = uint64_t{1} << 30;
  uint64_t sample_bytes_max = uint64_t{1} << 30;
};

/// Copies the log, the samples and the summary of a job from HDFS into its folder here. Calls
/// block.
class JobFetcher {
 public:
  /// Both must outlive this.
  JobFetcher(ClientSession& session, os::Files& files, eventlog::PlanOf plan_of,
             FetchLimits limits = {})
      : session_(session), files_(files), plan_of_(std::move(plan_of)), limits_(limits) {}

  /// Brings the log of a running job, as far as it is written; a success if there is none yet.
  [[nodiscard]] Status bring_log(const JobFolder& job);
  /// Brings log and summary of a job that has ended, or ends within a few seconds. NotFound if its
  /// master wrote no summary.
  [[nodiscard]] Status bring_home(const JobFolder& job);
  /// Brings the sample files, as far as they are written; files already here at the same length
  /// stay.
  [[nodiscard]] Status bring_samples(const JobFolder& job);
  /// Writes the summary, here, of a job that its cluster ended and whose master wrote none.
  [[nodiscard]] Status close_here(const JobFolder& job, const job::Outcome& outcome);
  /// Writes the summary of a job that its cluster ended and whose master wrote none: here and, so
  /// that other hosts need not work it out, in HDFS.
  [[nodiscard]] Status close(const JobFolder& job, const job::Outcome& outcome);

 private:
  [[nodiscard]] rt::Async<Result<bool>> fetch(Session* session, std::string from, JobFolder to);
  [[nodiscard]] rt::Async<Status> fetch_log(Session* session, std::string from, JobFolder to);
  [[nodiscard]] rt::Async<Status> fetch_samples(Session* session, std::string from, JobFolder to);

  ClientSession& session_;
  os::Files& files_;
  eventlog::PlanOf plan_of_;
  FetchLimits limits_;
};

}  // namespace muster::cluster::yarn
