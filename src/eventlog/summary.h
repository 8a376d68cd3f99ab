#pragma once

#include "base/result.h"
#include "base/time.h"
#include "eventlog/status.h"
#include "job/outcome.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::eventlog {

/// What a job did on one host.
struct HostShare {
  std::string host;
  uint32_t attempts = 0;
  uint32_t failed = 0;  ///< Of these, those that failed on their own, not because of others.
  bool operator==(const HostShare&) const = default;
};

/// The small file next to an ended job's log, for lists of jobs (schema muster.summary/1). Its
/// presence says that the job has ended; all details are in the log.
struct Summary {
  std::string job;
  std::string name;
  std::string on;
  std::string result;  ///< "succeeded", "failed", "stopped".
  std::string reason;  ///< As OutcomeReason.
  std::string class_name;
  std::string message;
  int32_t exit_status = 0;
  std::string started;  ///< ISO 8601.
  std::string ended;
  int64_t duration_ms = 0;
  uint64_t tasks = 0;
  uint64_t restarts = 0;         ///< Attempts beyond the first, over all tasks.
  std::vector<HostShare> hosts;  ///< By name, the first kSummaryHostsMax. Older files have none.
};

inline constexpr size_t kSummaryHostsMax = 256;

/// Returns what the job has done so far on each host it has been on: by name, the first
/// kSummaryHostsMax.
[[nodiscard]] std::vector<HostShare> host_shares(const job::State& state);

/// Returns the file's text for a job that has ended. Besides Summary's members it has `outcome` and
/// `timeline`, the same as in the status document.
[[nodiscard]] std::string summary_json(const job::Plan& plan, const job::State& state,
                                       const StatusContext& context);

/// Reads it back; Corrupt names what is wrong.
[[nodiscard]] Result<Summary> parse_summary(std::string_view text);

/// Returns what it says about the end, in the machine's terms; without the first cause.
[[nodiscard]] job::Outcome outcome_of(const Summary& summary);

}  // namespace muster::eventlog
