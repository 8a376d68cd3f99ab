#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// What is measured while a job runs, and how it is kept.
namespace muster::metrics {

/// A gauge says how much there is now; a counter, how much there has been since its subject began.
enum class Kind : uint8_t { Gauge, Counter };

/// "gauge", "counter".
[[nodiscard]] std::string_view to_string(Kind kind);

/// What is measured. Names and units are OpenTelemetry's where it has one ("{cpu}", "By", "s").
struct Metric {
  std::string name;
  std::string unit;
  Kind kind = Kind::Gauge;
  auto operator<=>(const Metric&) const = default;
};

/// What Muster itself measures. Positions are numbers on the wire: new ones come last.
enum class Builtin : uint8_t {
  ContainerCpuUsage,
  ContainerCpuTimeUser,
  ContainerCpuTimeSystem,
  ContainerMemoryUsage,
  ContainerMemoryPeak,
  ContainerMemoryLimit,
  ContainerPageFaults,
  ContainerPageFaultsMajor,
  ContainerDiskRead,
  ContainerDiskWrite,
  ProcessThreads,
  ProcessOpenFiles,
  GpuUtilization,
  GpuMemoryUsage,
  GpuMemoryLimit,
  GpuPower,
  GpuTemperature,
  GpuErrors,
  SystemLoad,
  SystemMemoryAvailable,
  SystemMemoryLimit,
  SystemPressureCpu,
  SystemPressureMemory,
  SystemPressureIo,
  SystemDiskRead,
  SystemDiskWrite,
  SystemNetworkReceive,
  SystemNetworkTransmit,
  ContainerProcesses,
  ProcessWaiting,
  ProcessRunning,
  ProcessDiskWaiting,
  ContainerDiskAvailable,
  ContainerDiskCapacity,
  NetworkSpeed,
  ContainerCpuThrottled,
  ContainerMemoryPressure,
  ContainerMemoryHigh,
  ProcessNice,
  JvmCollectorTime,
  SystemSwapIn,
  ProcessSleeping,
  ProcessSocketWaiting,
  ProcessNameWaiting,
  ProcessChildWaiting,
  PythonLockWaiting,
};

/// One row of the table.
struct BuiltinMetric {
  Builtin id;
  std::string_view name;
  std::string_view unit;
  Kind kind = Kind::Gauge;
  std::string_view meaning;  ///< For people, a phrase.
};

/// Returns the table, in the order of Builtin.
[[nodiscard]] std::span<const BuiltinMetric> builtins();
[[nodiscard]] const BuiltinMetric& describe(Builtin id);
[[nodiscard]] Metric metric_of(Builtin id);
/// Returns the row with that name; nullptr for any other.
[[nodiscard]] const BuiltinMetric* find_builtin(std::string_view name);

/// The prefix of a program's own metrics: "user.loss".
inline constexpr std::string_view kUserPrefix = "user.";
inline constexpr size_t kNameBytesMax = 200;
inline constexpr size_t kUnitBytesMax = 32;

/// Refuses names and units that are empty (names only), too long, not UTF-8, or hold control bytes;
/// the message says which, with the name cut short.
[[nodiscard]] Status check_metric(const Metric& metric);

/// Rounds a value to 4 significant digits, which is as exact as averages over a minute are.
/// Counters, NaN and infinities stay as they are.
[[nodiscard]] double coarse_value(double value);

}  // namespace muster::metrics
