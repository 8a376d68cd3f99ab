#include "os/host/host_activity.h"

#include "base/text.h"
#include "os/host/proc_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

constexpr uint64_t kSectorBytes = 512;  // In the counters, whatever the disk's own size.

std::optional<double> parse_real(std::string_view text) {
  const std::string whole(text);
  char* end = nullptr;
  const double value = std::strtod(whole.c_str(), &end);
  const bool parsed = end != whole.c_str() && *end == '\0' && std::isfinite(value) && value >= 0;
  return parsed ? std::optional(value) : std::nullopt;
}

/// Parses the share in "some avg10=1.23 avg60=...".
std::optional<double> parse_pressure(std::string_view text) {
  constexpr std::string_view kBegin = "some avg10=";
  if (!text.starts_with(kBegin)) {
    return std::nullopt;
  }
  const auto percent =
      parse_real(text.substr(kBegin.size(), text.find(' ', kBegin.size()) - kBegin.size()));
  return percent ? std::optional(std::round(*percent * 100) / 10'000) : std::nullopt;
}

/// Accepts whole disks only: what goes to a partition, or to a disk made of others, is also counted
/// for the whole disks.
bool is_disk(std::string_view name) {
  for (const std::string_view made : {"loop", "ram", "dm-", "md", "zram", "sr", "fd"}) {
    if (name.starts_with(made)) {
      return false;
    }
  }
  const bool ends_in_digit = !name.empty() && name.back() >= '0' && name.back() <= '9';
  if (name.starts_with("nvme") || name.starts_with("mmcblk")) {
    const size_t number = name.find_last_not_of("0123456789");
    return number == std::string_view::npos || name[number] != 'p';
  }
  return !ends_in_digit;
}

void add_disks(std::string_view diskstats, HostActivity& activity) {
  for (const std::string_view line : split(diskstats, '\n')) {
    const std::vector<std::string_view> words = columns_of(line);
    if (words.size() < 10 || !is_disk(words[2])) {
      continue;
    }
    const auto read = parse_decimal(words[5]);
    const auto written = parse_decimal(words[9]);
    if (read && written) {
      activity.disk_read_bytes = activity.disk_read_bytes.value_or(0) + *read * kSectorBytes;
      activity.disk_written_bytes =
          activity.disk_written_bytes.value_or(0) + *written * kSectorBytes;
    }
  }
}

void add_interfaces(std::string_view net_dev, HostActivity& activity) {
  for (const std::string_view line : split(net_dev, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) == "lo") {
      continue;
    }
    const std::vector<std::string_view> words = columns_of(line.substr(colon + 1));
    const auto received = words.size() > 8 ? parse_decimal(words[0]) : std::nullopt;
    const auto sent = words.size() > 8 ? parse_decimal(words[8]) : std::nullopt;
    if (received && sent) {
      activity.received_bytes = activity.received_bytes.value_or(0) + *received;
      activity.sent_bytes = activity.sent_bytes.value_or(0) + *sent;
    }
  }
}

std::optional<uint64_t> bytes_after(std::string_view text, std::string_view key) {
  const auto kibibytes = number_after(text, key);
  return kibibytes ? std::optional(*kibibytes << 10) : std::nullopt;
}

}  // namespace

HostActivity read_host_activity() {
  const std::string loadavg = read_proc("/proc/loadavg");
  const std::string meminfo = read_proc("/proc/meminfo");
  const std::string cpu = read_proc("/proc/pressure/cpu");
  const std::string memory = read_proc("/proc/pressure/memory");
  const std::string io = read_proc("/proc/pressure/io");
  const std::string disks = read_proc("/proc/diskstats");
  const std::string interfaces = read_proc("/proc/net/dev");
  const std::string memory_events = read_proc("/proc/vmstat");
  return parse_host_activity({.loadavg = loadavg,
                              .meminfo = meminfo,
                              .cpu_pressure = cpu,
                              .memory_pressure = memory,
                              .io_pressure = io,
                              .diskstats = disks,
                              .net_dev = interfaces,
                              .vmstat = memory_events});
}

HostActivity parse_host_activity(const HostTexts& texts) {
  HostActivity activity;
  activity.load = parse_real(texts.loadavg.substr(0, texts.loadavg.find(' ')));
  activity.memory_available_bytes = bytes_after(texts.meminfo, "MemAvailable:");
  activity.memory_bytes = bytes_after(texts.meminfo, "MemTotal:");
  activity.cpu_pressure = parse_pressure(texts.cpu_pressure);
  activity.memory_pressure = parse_pressure(texts.memory_pressure);
  activity.io_pressure = parse_pressure(texts.io_pressure);
  if (const auto pages = number_after(texts.vmstat, "pswpin ")) {
    activity.swapped_in_bytes = *pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  add_disks(texts.diskstats, activity);
  add_interfaces(texts.net_dev, activity);
  return activity;
}

}  // namespace muster::os
