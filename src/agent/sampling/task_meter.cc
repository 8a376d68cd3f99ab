#include "agent/sampling/task_meter.h"

#include "agent/sampling/rounding.h"

#include <chrono>

namespace muster::agent {

using metrics::Builtin;

std::vector<metrics::Reading> TaskMeter::read(HostTime now, const TaskRun::Use& use,
                                              const std::optional<os::FileActivity>& files) {
  std::vector<metrics::Reading> readings;
  const auto add = [&](Builtin metric, double value) {
    readings.push_back({.metric = metric, .value = value});
  };
  const auto add_count = [&](Builtin metric, uint64_t value) {
    add(metric, static_cast<double>(value));
  };
  const Duration user_now = use.print.cpu - use.print.cpu_system;
  const uint64_t user = user_us_.take(static_cast<uint64_t>(user_now.count()));
  const uint64_t system = system_us_.take(static_cast<uint64_t>(use.print.cpu_system.count()));
  if (looked_ && now > *looked_) {
    const auto passed = std::chrono::duration<double, std::micro>(now - *looked_).count();
    add(Builtin::ContainerCpuUsage,
        rounded_share(static_cast<double>(user + system - cpu_us_) / passed));
  }
  looked_ = now;
  cpu_us_ = user + system;
  add(Builtin::ContainerCpuTimeUser, seconds_of(user));
  add(Builtin::ContainerCpuTimeSystem, seconds_of(system));
  add_count(Builtin::ContainerMemoryUsage, use.memory_bytes);
  add_count(Builtin::ContainerMemoryPeak, use.memory_peak_bytes);
  if (use.memory_limit_bytes > 0) {
    add_count(Builtin::ContainerMemoryLimit, use.memory_limit_bytes);
  }
  add_count(Builtin::ContainerPageFaults, faults_.take(use.print.faults));
  add_count(Builtin::ContainerPageFaultsMajor, faults_major_.take(use.print.faults_major));
  add_count(Builtin::ProcessThreads, use.print.threads);
  add_count(Builtin::ContainerProcesses, use.print.processes);
  if (use.print.main_waits) {
    add(Builtin::ProcessWaiting, *use.print.main_waits ? 1 : 0);
  }
  add_count(Builtin::ProcessRunning, use.print.main_runs);
  add(Builtin::ProcessDiskWaiting, use.print.main_in_disk ? 1 : 0);
  if (files) {
    add_count(Builtin::ContainerDiskRead, read_bytes_.take(files->read_bytes));
    add_count(Builtin::ContainerDiskWrite, written_bytes_.take(files->written_bytes));
    add_count(Builtin::ProcessOpenFiles, files->open_files);
  }
  return readings;
}

}  // namespace muster::agent
