#include "os/memory.h"

#include "base/text.h"
#include "os/proc_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

/// Resident memory as /proc/PID/statm shows it.
struct Resident {
  uint64_t all_bytes = 0;
  uint64_t shared_bytes = 0;  ///< Files and shared memory; the rest is anonymous.
};

Resident resident_memory(Pid pid) {
  const std::string text = read_proc(fmt::format("/proc/{}/statm", pid.value));
  const auto fields = split(text, ' ');
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = [&](size_t field) {
    return field < fields.size() ? parse_decimal(fields[field]).value_or(0) * page_bytes : 0;
  };
  return {.all_bytes = bytes(1), .shared_bytes = bytes(2)};
}

/// User and system time of a process and its reaped children.
Duration cpu_time(Pid pid) {
  const std::string text = read_proc(fmt::format("/proc/{}/stat", pid.value));
  const size_t close = text.rfind(") ");
  if (close == std::string::npos) {
    return {};
  }
  constexpr size_t kUserField = 11;  // utime, stime, cutime, cstime, counted from the state.
  const auto fields = split(std::string_view(text).substr(close + 2), ' ');
  uint64_t ticks = 0;
  for (size_t field = kUserField; field < kUserField + 4 && field < fields.size(); ++field) {
    ticks += parse_decimal(fields[field]).value_or(0);
  }
  const auto ticks_per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  return std::chrono::microseconds(ticks * 1'000'000 / ticks_per_second);
}

class ProcMeter final : public Meter {
 public:
  Usage measure(std::span<const Pid> processes) override {
    Usage usage;
    for (const Pid pid : processes) {
      usage.cpu += cpu_time(pid);
      const auto pss = parse_pss_bytes(read_proc(fmt::format("/proc/{}/smaps_rollup", pid.value)));
      if (pss.has_value()) {
        usage.memory_bytes += *pss;
        continue;
      }
      // Before Linux 4.14, or a process that gave its rights up.
      const uint64_t resident = resident_memory(pid).all_bytes;
      usage.memory_bytes += resident;
      usage.exact = usage.exact && resident == 0;
    }
    return usage;
  }

  Footprint glance(std::span<const Pid> processes) override {
    Footprint print;
    for (const Pid pid : processes) {
      const Resident resident = resident_memory(pid);
      print.cpu += cpu_time(pid);
      print.most_bytes += resident.all_bytes;
      print.least_bytes =
          std::max(print.least_bytes,
                   resident.all_bytes - std::min(resident.all_bytes, resident.shared_bytes));
    }
    return print;
  }

  Duration time_spent() override {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);  // lint: allow(clock) of this thread
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_nsec / 1000);
  }

  uint64_t oom_kills() override {
    const std::string groups = read_proc("/proc/self/cgroup");
    const Path root = "/sys/fs/cgroup";
    const std::string unified = find_cgroup("", groups, root);
    if (!unified.empty()) {
      if (const auto kills =
              number_after(read_proc(Path(unified) / "memory.events"), "oom_kill ")) {
        return *kills;
      }
    }
    const std::string v1 = find_cgroup("memory", groups, root);
    if (!v1.empty()) {
      if (const auto kills =
              number_after(read_proc(Path(v1) / "memory.oom_control"), "oom_kill ")) {
        return *kills;
      }
    }
    return number_after(read_proc("/proc/vmstat"), "oom_kill ").value_or(0);
  }
};

}  // namespace

std::unique_ptr<Meter> make_meter() { return std::make_unique<ProcMeter>(); }

Result<uint64_t> parse_pss_bytes(std::string_view smaps_rollup) {
  const auto kilobytes = number_after(smaps_rollup, "Pss:");
  if (!kilobytes.has_value()) {
    return Error{Errc::Corrupt, Blame::Cluster, "smaps_rollup has no Pss"};
  }
  return *kilobytes << 10;
}

}  // namespace muster::os
