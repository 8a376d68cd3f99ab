#include "os/memory.h"

#include "base/text.h"
#include "os/proc_text.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

/// Resident pages as /proc/PID/statm shows them.
uint64_t resident_bytes(Pid pid) {
  const std::string text = read_proc(fmt::format("/proc/{}/statm", pid.value));
  const auto fields = split(text, ' ');
  const auto pages = fields.size() < 2 ? std::nullopt : parse_decimal(fields[1]);
  return pages.value_or(0) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
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
      const uint64_t resident = resident_bytes(pid);
      usage.memory_bytes += resident;
      usage.exact = usage.exact && resident == 0;
    }
    return usage;
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
