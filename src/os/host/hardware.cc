#include "os/host/hardware.h"

#include "base/text.h"
#include "os/file/local_files.h"
#include "os/host/gpus.h"
#include "os/host/proc_text.h"

#include <algorithm>
#include <optional>
#include <sched.h>
#include <unistd.h>

namespace muster::os {
namespace {

/// Memory limit and use of this process's control groups, from innermost to outermost; the tightest
/// limit counts.
struct CgroupMemory {
  uint64_t limit_bytes = UINT64_MAX;
  uint64_t left_bytes = UINT64_MAX;
};

void narrow(CgroupMemory& memory, const Path& group, const char* limit_file, const char* use_file) {
  const auto limit = parse_decimal(read_proc(group / limit_file));  // "max" is not a number.
  if (!limit.has_value()) {
    return;
  }
  const uint64_t used = parse_decimal(read_proc(group / use_file)).value_or(0);
  memory.limit_bytes = std::min(memory.limit_bytes, *limit);
  memory.left_bytes = std::min(memory.left_bytes, *limit - std::min(used, *limit));
}

CgroupMemory cgroup_memory() {
  CgroupMemory memory;
  const std::string groups = read_proc("/proc/self/cgroup");
  const auto climb = [&](const std::string& start, const char* limit_file, const char* use_file) {
    for (Path group = start; !start.empty() && group.string().size() >= kCgroupRoot.size();
         group = group.parent_path()) {
      narrow(memory, group, limit_file, use_file);
    }
  };
  climb(find_cgroup("", groups, kCgroupRoot), "memory.max", "memory.current");
  climb(find_cgroup("memory", groups, kCgroupRoot), "memory.limit_in_bytes",
        "memory.usage_in_bytes");
  return memory;
}

uint64_t meminfo_bytes(std::string_view key) {
  return number_after(read_proc("/proc/meminfo"), key).value_or(0) << 10;
}

/// Cores of a cgroup quota, rounded up; nothing if there is no quota.
std::optional<uint32_t> quota_cores() {
  const auto cores = [](std::optional<uint64_t> quota,
                        std::optional<uint64_t> period) -> std::optional<uint32_t> {
    if (!quota.has_value() || !period.has_value() || *period == 0) {
      return std::nullopt;
    }
    return static_cast<uint32_t>(std::max<uint64_t>(1, (*quota + *period - 1) / *period));
  };
  const std::string groups = read_proc("/proc/self/cgroup");
  const std::string unified = find_cgroup("", groups, kCgroupRoot);
  const std::string maximum = unified.empty() ? "" : read_proc(Path(unified) / "cpu.max");
  const auto fields = split(trim(maximum), ' ');
  if (fields.size() == 2) {
    return cores(parse_decimal(fields[0]), parse_decimal(fields[1]));
  }
  const std::string v1 = find_cgroup("cpu", groups, kCgroupRoot);
  if (v1.empty()) {
    return std::nullopt;
  }
  return cores(parse_decimal(read_proc(Path(v1) / "cpu.cfs_quota_us")),
               parse_decimal(read_proc(Path(v1) / "cpu.cfs_period_us")));
}

uint32_t affinity_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<uint32_t>(CPU_COUNT(&set));
  }
  return static_cast<uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));  // Over 1,024 cores.
}

}  // namespace

uint32_t usable_cores() {
  return std::max(1U, std::min(affinity_cores(), quota_cores().value_or(UINT32_MAX)));
}

Hardware discover_hardware() {
  Hardware hardware;
  hardware.memory_bytes = std::min(meminfo_bytes("MemTotal:"), cgroup_memory().limit_bytes);
  hardware.cores = usable_cores();
  hardware.gpus = discover_gpus();
  return hardware;
}

uint64_t available_memory_bytes() {
  return std::min(meminfo_bytes("MemAvailable:"), cgroup_memory().left_bytes);
}

}  // namespace muster::os
