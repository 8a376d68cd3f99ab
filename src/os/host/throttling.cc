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

/// How many levels are examined, from a process's own group upwards.
constexpr int kDepthMax = 12;
/// For this many sets of groups it is remembered which have limits; beyond that, all are looked at
/// anew.
constexpr size_t kKnownMax = 256;

/// Returns whether a group has a processor limit of its own; nullopt if that cannot be seen. In
/// version 2, the outermost group, and groups that have not been given the controller, have only
/// counters.
std::optional<bool> is_limited(const Path& group) {
  if (const std::string quota = read_proc(group / "cpu.max"); !quota.empty()) {
    return !quota.starts_with("max");
  }
  if (const std::string quota = read_proc(group / "cpu.cfs_quota_us"); !quota.empty()) {
    return !quota.starts_with('-');
  }
  return ::access((group / "cpu.stat").c_str(), F_OK) == 0 ? std::optional(false) : std::nullopt;
}

/// Parses the total in "some avg10=0.00 avg60=0.00 avg300=0.00 total=12", in microseconds.
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

Throttling ThrottlingReader::read(std::string_view proc_pid_cgroup) {
  const Groups& groups = groups_of(proc_pid_cgroup);
  Throttling throttling;
  if (groups.seen) {
    Throttling::Cpu& sum = throttling.cpu.emplace(Throttling::Cpu{});
    for (const Path& group : groups.limited) {
      const std::string text = read_proc(group / "cpu.stat");
      sum.periods = std::max(sum.periods, number_after(text, "nr_periods ").value_or(0));
      sum.throttled += number_after(text, "nr_throttled ").value_or(0);
    }
  }
  if (!groups.with_events.empty()) {
    throttling.memory = total_of(read_proc(groups.with_events / "memory.pressure"));
    throttling.over_memory_high =
        number_after(read_proc(groups.with_events / "memory.events"), "high ").value_or(0);
  }
  return throttling;
}

const ThrottlingReader::Groups& ThrottlingReader::groups_of(std::string_view proc_pid_cgroup) {
  auto known = known_.find(proc_pid_cgroup);
  if (known == known_.end()) {
    if (known_.size() >= kKnownMax) {
      known_.clear();
    }
    known = known_.emplace(proc_pid_cgroup, Groups()).first;
  }
  Groups& groups = known->second;
  if (groups.looks_left == 0) {
    groups = find_groups(proc_pid_cgroup);
    groups.looks_left = kThrottlingLooks;
  }
  --groups.looks_left;
  return groups;
}

ThrottlingReader::Groups ThrottlingReader::find_groups(std::string_view proc_pid_cgroup) const {
  Groups groups;
  const Path unified = find_cgroup("", proc_pid_cgroup, cgroup_root_.string());
  Path group = find_cgroup("cpu", proc_pid_cgroup, cgroup_root_.string());
  if (group.empty()) {
    group = unified;
  }
  for (int depth = 0; depth < kDepthMax && !group.empty(); ++depth) {
    const std::optional<bool> limited = is_limited(group);
    groups.seen = groups.seen || limited.has_value();
    if (limited.value_or(false)) {
      groups.limited.push_back(group);
    }
    if (group == cgroup_root_ || !group.has_relative_path()) {
      break;
    }
    group = group.parent_path();
  }
  // The outermost group, which has no such events, stands for the whole host.
  if (!unified.empty() && ::access((unified / "cgroup.events").c_str(), F_OK) == 0) {
    groups.with_events = unified;
  }
  return groups;
}

}  // namespace muster::os
