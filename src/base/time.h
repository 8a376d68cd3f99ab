#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace muster {

/// Every duration in Muster, in microseconds.
using Duration = std::chrono::microseconds;

/// The clock of one job: 0 is the job's start; it is logged with every fact, never decreases, and
/// continues across masters. It has no now(): job time comes only from the log and the master's
/// shell.
struct JobClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<JobClock, Duration>;
  static constexpr bool is_steady = true;
};
using Time = JobClock::time_point;

/// The monotonic clock of one host (rt::Clock::now); meaningless on another host or after a reboot.
struct HostClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<HostClock, Duration>;
  static constexpr bool is_steady = true;
};
using HostTime = HostClock::time_point;

/// Wall-clock time, for users and for the gap after a takeover only; it may jump.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Returns `wall` as ISO 8601 in UTC with milliseconds: "2026-11-21T09:30:00.125Z".
[[nodiscard]] std::string format_iso(WallTime wall);

/// Returns a short form for users: "250 ms", "1.4 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string format_duration(Duration duration);

}  // namespace muster
