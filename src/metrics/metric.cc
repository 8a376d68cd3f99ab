#include "metrics/metric.h"

#include "base/check.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace muster::metrics {
namespace {

using enum Builtin;

constexpr Kind kGauge = Kind::Gauge;
constexpr Kind kCounter = Kind::Counter;

constexpr std::array kTable = {
    BuiltinMetric{ContainerCpuUsage, "container.cpu.usage", "{cpu}", kGauge,
                  "processors that the task's processes kept busy"},
    BuiltinMetric{ContainerCpuTimeUser, "container.cpu.time.user", "s", kCounter,
                  "processor time in the program"},
    BuiltinMetric{ContainerCpuTimeSystem, "container.cpu.time.system", "s", kCounter,
                  "processor time in the kernel"},
    BuiltinMetric{ContainerMemoryUsage, "container.memory.usage", "By", kGauge,
                  "memory of all the task's processes"},
    BuiltinMetric{ContainerMemoryPeak, "container.memory.peak", "By", kGauge,
                  "the largest memory that was seen"},
    BuiltinMetric{ContainerMemoryLimit, "container.memory.limit", "By", kGauge,
                  "the task's memory limit"},
    BuiltinMetric{ContainerPageFaults, "container.memory.paging.faults", "{fault}", kCounter,
                  "page faults, minor and major"},
    BuiltinMetric{ContainerPageFaultsMajor, "container.memory.paging.faults.major", "{fault}",
                  kCounter, "page faults that read from a disk"},
    BuiltinMetric{ContainerDiskRead, "container.disk.io.read", "By", kCounter,
                  "bytes read from disks"},
    BuiltinMetric{ContainerDiskWrite, "container.disk.io.write", "By", kCounter,
                  "bytes written to disks"},
    BuiltinMetric{ProcessThreads, "process.thread.count", "{thread}", kGauge, "threads"},
    BuiltinMetric{ProcessOpenFiles, "process.open_file_descriptor.count", "{count}", kGauge,
                  "open files, sockets and pipes"},
    BuiltinMetric{GpuUtilization, "hw.gpu.utilization", "1", kGauge,
                  "share of time the task's GPUs were busy, their mean"},
    BuiltinMetric{GpuMemoryUsage, "hw.gpu.memory.usage", "By", kGauge,
                  "memory in use on the task's GPUs"},
    BuiltinMetric{GpuMemoryLimit, "hw.gpu.memory.limit", "By", kGauge, "memory of the task's GPUs"},
    BuiltinMetric{GpuPower, "hw.gpu.power", "W", kGauge, "power that the task's GPUs draw"},
    BuiltinMetric{GpuTemperature, "hw.gpu.temperature", "Cel", kGauge,
                  "temperature of the hottest of the task's GPUs"},
    BuiltinMetric{GpuErrors, "hw.gpu.errors", "{error}", kCounter,
                  "memory errors that the task's GPUs could not correct"},
    BuiltinMetric{SystemLoad, "system.cpu.load_average.1m", "{thread}", kGauge,
                  "the host's load average over a minute"},
    BuiltinMetric{SystemMemoryAvailable, "system.linux.memory.available", "By", kGauge,
                  "memory of the host that can be had without swapping"},
    BuiltinMetric{SystemMemoryLimit, "system.memory.limit", "By", kGauge, "memory of the host"},
    BuiltinMetric{
        SystemPressureCpu, "system.linux.pressure.cpu", "1", kGauge,
        "share of the last 10 s in which some process of the host waited for a processor"},
    BuiltinMetric{SystemPressureMemory, "system.linux.pressure.memory", "1", kGauge,
                  "the same for memory"},
    BuiltinMetric{SystemPressureIo, "system.linux.pressure.io", "1", kGauge, "the same for disks"},
    BuiltinMetric{SystemDiskRead, "system.disk.io.read", "By", kCounter,
                  "bytes read from the host's disks"},
    BuiltinMetric{SystemDiskWrite, "system.disk.io.write", "By", kCounter,
                  "bytes written to the host's disks"},
    BuiltinMetric{SystemNetworkReceive, "system.network.io.receive", "By", kCounter,
                  "bytes that the host received, other than from itself"},
    BuiltinMetric{SystemNetworkTransmit, "system.network.io.transmit", "By", kCounter,
                  "bytes that the host sent, other than to itself"},
    BuiltinMetric{ContainerProcesses, "container.process.count", "{process}", kGauge,
                  "processes, with those that have ended and that nobody has waited for"},
    BuiltinMetric{ProcessWaiting, "process.main_thread.waiting", "1", kGauge,
                  "share of time in which the main thread waited for other threads or for peers"},
    BuiltinMetric{ProcessRunning, "process.main_thread.running", "{thread}", kGauge,
                  "main threads that ran or waited for a processor"},
    BuiltinMetric{ProcessDiskWaiting, "process.main_thread.disk_waiting", "1", kGauge,
                  "share of time in which the main thread waited for a disk"},
    BuiltinMetric{ContainerDiskAvailable, "container.filesystem.available", "By", kGauge,
                  "what is left of the disk that the task writes to"},
    BuiltinMetric{ContainerDiskCapacity, "container.filesystem.capacity", "By", kGauge,
                  "the size of that disk"},
    BuiltinMetric{NetworkSpeed, "hw.network.bandwidth.limit", "By/s", kGauge,
                  "what the host's network devices can carry each way"},
    BuiltinMetric{ContainerCpuThrottled, "container.cpu.throttled", "1", kGauge,
                  "share of the scheduler's periods in which a processor limit held the task's "
                  "control group back"},
    BuiltinMetric{ContainerMemoryPressure, "container.memory.pressure", "1", kGauge,
                  "share of time in which some process of its control group waited for memory"},
    BuiltinMetric{ContainerMemoryHigh, "container.memory.over_high", "{event}", kCounter,
                  "how often the control group was held up for being over memory.high"},
    BuiltinMetric{ProcessNice, "process.main_thread.nice", "1", kGauge,
                  "how much the main thread gives way to others, where it does: its nice value"},
    BuiltinMetric{JvmCollectorTime, "jvm.gc.cpu.time", "s", kCounter,
                  "processor time that Java's virtual machines spent collecting garbage"},
    BuiltinMetric{SystemSwapIn, "system.paging.swap.in", "By", kCounter,
                  "bytes that the host brought back from swap"},
    BuiltinMetric{ProcessSleeping, "process.main_thread.sleeping", "1", kGauge,
                  "share of time in which the main thread slept for a time of its own choice"},
    BuiltinMetric{ProcessSocketWaiting, "process.main_thread.socket_waiting", "1", kGauge,
                  "share of time in which the main thread waited for a connection or an answer "
                  "over one"},
    BuiltinMetric{ProcessNameWaiting, "process.main_thread.name_waiting", "1", kGauge,
                  "of that, for the answer of a name server"},
    BuiltinMetric{ProcessChildWaiting, "process.main_thread.child_waiting", "1", kGauge,
                  "share of time in which the main thread waited for what a child process of its "
                  "own computed"},
    BuiltinMetric{PythonLockWaiting, "process.python.lock_waiting", "{thread}", kGauge,
                  "threads of a Python program that waited for its global lock (GIL)"},
};

static_assert([] {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].id) != i) {
      return false;
    }
  }
  return kTable.size() == static_cast<size_t>(PythonLockWaiting) + 1;
}());

Error refused(std::string_view what, std::string_view text, std::string_view why) {
  constexpr size_t kShown = 40;
  return user_error(fmt::format("a metric's {} {}: `{}{}`", what, why,
                                printable(text.substr(0, kShown)),
                                text.size() > kShown ? "..." : ""));
}

Status check_text(std::string_view what, std::string_view text, size_t bytes_max) {
  if (text.size() > bytes_max) {
    return refused(what, text, fmt::format("must have {} bytes at most", bytes_max));
  }
  const bool control = std::ranges::any_of(
      text, [](char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == 0x7F; });
  if (control || find_invalid_utf8(text).has_value()) {
    return refused(what, text, "must be text in UTF-8 without control characters");
  }
  return {};
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::Gauge:
      return "gauge";
    case Kind::Counter:
      return "counter";
  }
  return "gauge";
}

std::span<const BuiltinMetric> builtins() { return kTable; }

const BuiltinMetric& describe(Builtin id) {
  MUSTER_CHECK(static_cast<size_t>(id) < kTable.size(), "an enumerator");
  return kTable[static_cast<size_t>(id)];
}

Metric metric_of(Builtin id) {
  const BuiltinMetric& row = describe(id);
  return {.name = std::string(row.name), .unit = std::string(row.unit), .kind = row.kind};
}

const BuiltinMetric* find_builtin(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &BuiltinMetric::name);
  return found == kTable.end() ? nullptr : found;
}

Status check_metric(const Metric& metric) {
  if (metric.name.empty()) {
    return user_error("a metric must have a name");
  }
  MUSTER_TRY_STATUS(check_text("name", metric.name, kNameBytesMax));
  return check_text("unit", metric.unit, kUnitBytesMax);
}

double coarse_value(double value) {
  if (!std::isfinite(value) || value == 0) {
    return value;
  }
  constexpr int kDigits = 4;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  const int places = kDigits - 1 - magnitude;
  if (places < -18 || places > 18) {
    return value;
  }
  const double scale = std::pow(10.0, std::abs(places));
  return places >= 0 ? std::round(value * scale) / scale : std::round(value / scale) * scale;
}

}  // namespace muster::metrics
