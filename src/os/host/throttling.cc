#include "os/host/throttling.h"

#include "base/text.h"
#include "os/host/proc_text.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

/// Groups deeper than this are looked at no further up.
constexpr int kDepthMax = 12;

/// Whether a group has a processor limit of its own; nullopt where none can be seen. Of version 2
/// the outermost group, and those that the controller is not given to, have counters alone.
std::optional<bool> is_limited(const Path& group) {
  if (const std::string quota = read_proc(group / "cpu.max"); !quota.empty()) {
    return !quota.starts_with("max");
  }
  if (const std::string quota = read_proc(group / "cpu.cfs_quota_us"); !quota.empty()) {
    return !quota.starts_with('-');
  }
  return ::access((group / "cpu.stat").c_str(), F_OK) == 0 ? std::optional(false) : std::nullopt;
}

/// Of all groups of a process.
std::optional<Throttling::Cpu> read_cpu(Path group, const Path& cgroup_root) {
  std::optional<Throttling::Cpu> sum;
  for (int depth = 0; depth < kDepthMax; ++depth) {
    const std::optional<bool> limited = is_limited(group);
    if (limited) {
      sum = sum.value_or(Throttling::Cpu{});
    }
    if (limited.value_or(false)) {
      const std::string text = read_proc(group / "cpu.stat");
      sum->periods = std::max(sum->periods, number_after(text, "nr_periods ").value_or(0));
      sum->throttled += number_after(text, "nr_throttled ").value_or(0);
    }
    if (group == cgroup_root || !group.has_relative_path()) {
      break;
    }
    group = group.parent_path();
  }
  return sum;
}

/// The sum of microseconds in "some avg10=0.00 avg60=0.00 avg300=0.00 total=12".
std::optional<Duration> total_of(std::string_view pressure) {
  constexpr std::string_view kTotal = "total=";
  const std::string_view some = pressure.substr(0, pressure.find('\n'));
  const size_t at = some.find(kTotal);
  if (!some.starts_with("some ") || at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<uint64_t> total = parse_decimal(some.substr(at + kTotal.size()));
  return total ? std::optional<Duration>(std::chrono::microseconds(*total)) : std::nullopt;
}

}  // namespace

Throttling read_throttling(std::string_view proc_pid_cgroup, const Path& cgroup_root) {
  Throttling throttling;
  const Path unified = find_cgroup("", proc_pid_cgroup, cgroup_root);
  const Path version_one = find_cgroup("cpu", proc_pid_cgroup, cgroup_root);
  if (const Path& group = version_one.empty() ? unified : version_one; !group.empty()) {
    throttling.cpu = read_cpu(group, cgroup_root);
  }
  // The outermost group, which has no such events, is the whole host.
  if (!unified.empty() && ::access((unified / "cgroup.events").c_str(), F_OK) == 0) {
    throttling.memory = total_of(read_proc(unified / "memory.pressure"));
    throttling.over_memory_high =
        number_after(read_proc(unified / "memory.events"), "high ").value_or(0);
  }
  return throttling;
}

}  // namespace muster::os
