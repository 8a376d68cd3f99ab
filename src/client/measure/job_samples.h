#pragma once

#include "account/account.h"
#include "client/measure/sample_files.h"
#include "client/session.h"
#include "client/show/job_finder.h"
#include "metrics/series.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace muster::client {

/// Everything that was measured of a job: its files and, while it runs, what its master holds in
/// memory.
struct JobSamples {
  SampleFiles files;
  std::vector<std::string> live;  ///< Encoded blocks.
};

/// Fetches and reads a job's samples; from the master, blocks of `step_s`. Says on standard error
/// which part is missing.
[[nodiscard]] Result<JobSamples> samples_of(Session& session, const FoundJob& job, uint32_t step_s);

/// Sums up what was measured of attempts, for rules and accounts: `uses` gets what each used over
/// its run, `signs` when it reported its first step. `minutes_before_s`: points before that time
/// stand for a minute, others for a second. `started`: the wall clock at job time 0. Series of
/// hosts, and of roles that the plan lacks, are ignored.
void sum_up_samples(std::span<const metrics::Series> series, int64_t minutes_before_s,
                    const job::Plan& plan, WallTime started, account::Uses& uses,
                    account::Signs& signs);

/// Sums up what was measured of hosts.
[[nodiscard]] account::HostUses host_uses(std::span<const metrics::Series> series);

/// Returns the metrics that these functions read.
[[nodiscard]] std::vector<std::string> summed_metrics();

}  // namespace muster::client
