#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::os {

/// How busy this host is. What cannot be seen is missing.
struct HostActivity {
  std::optional<double> load;  ///< Over a minute.
  std::optional<uint64_t> memory_available_bytes;
  std::optional<uint64_t> memory_bytes;
  /// Shares (0 to 1) of the last 10 s in which some process waited; kernels since 4.20 may report
  /// them.
  std::optional<double> cpu_pressure;
  std::optional<double> memory_pressure;
  std::optional<double> io_pressure;
  /// Of all disks together, since the host started.
  std::optional<uint64_t> disk_read_bytes;
  std::optional<uint64_t> disk_written_bytes;
  std::optional<uint64_t> swapped_in_bytes;  ///< What was brought back from swap.
  /// Of all interfaces but loopback.
  std::optional<uint64_t> received_bytes;
  std::optional<uint64_t> sent_bytes;
  std::optional<uint64_t> network_bytes_per_s;  ///< What they can carry each way.
  bool operator==(const HostActivity&) const = default;
};

/// Reads some files of /proc, of a size that does not grow with processes or memory.
[[nodiscard]] HostActivity read_host_activity();

/// The kernel's texts, as files of /proc.
struct HostTexts {
  std::string_view loadavg;
  std::string_view meminfo;
  std::string_view cpu_pressure;
  std::string_view memory_pressure;
  std::string_view io_pressure;
  std::string_view diskstats;
  std::string_view net_dev;
  std::string_view vmstat;
};
[[nodiscard]] HostActivity parse_host_activity(const HostTexts& texts);

}  // namespace muster::os
