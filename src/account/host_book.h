#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/machine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::account {

/// What jobs found out about one host. Harm decays: after `kHarmHalfLife` it counts half.
struct HostRecord {
  double failures = 0;    ///< Attempts that failed because of the host: disk, agent, loss.
  double gpu_errors = 0;  ///< Attempts that failed because of its GPUs.
  double slow = 0;        ///< How much slower its tasks were than their role's median: 0.5 is 50 %.
  uint32_t jobs = 0;      ///< That had containers there.
  WallTime seen{};        ///< When the last one ended.
  std::string last_class;  ///< Of the last failure; "" for none.
  WallTime last_harm{};    ///< When it, or slowness, was last found.

  /// Returns its weight: 1 is one fresh failure.
  [[nodiscard]] double harm() const { return failures + (2 * gpu_errors) + slow; }
};

inline constexpr Duration kHarmHalfLife = std::chrono::days(3);
/// From this much harm on, a host is avoided: two failures within days, or one of its GPUs.
inline constexpr double kHarmToAvoid = 1.5;
/// At most one in this many of the hosts that jobs were on lately is avoided.
inline constexpr uint32_t kAvoidShare = 3;
/// Hosts that no job has used for this long are forgotten.
inline constexpr Duration kHostForgotten = std::chrono::days(30);

/// A host to avoid, with the reason for people: "2 failures (host.disk, 2026-11-21)".
struct HostToAvoid {
  job::HostName host;
  std::string reason;
};

/// Returns the line that a job that ended at `now` adds to what is remembered: what it found on
/// each host where it had containers. One JSON object and a line break.
[[nodiscard]] std::string host_line(const job::Machine& machine, WallTime now);

/// The hosts that past jobs remember, folded from their lines as of `now`. A damaged line is left
/// out and counted; lines from the future count as new.
class HostBook {
 public:
  HostBook(std::string_view lines, WallTime now);

  [[nodiscard]] const std::map<job::HostName, HostRecord>& hosts() const { return hosts_; }
  /// How many lines could not be read.
  [[nodiscard]] uint64_t damaged() const { return damaged_; }
  /// The hosts that harm jobs, worst first; never more than a share of all.
  [[nodiscard]] std::vector<HostToAvoid> to_avoid() const;

 private:
  [[nodiscard]] bool add(std::string_view line, WallTime now);

  std::map<job::HostName, HostRecord> hosts_;
  uint64_t damaged_ = 0;
};

}  // namespace muster::account
