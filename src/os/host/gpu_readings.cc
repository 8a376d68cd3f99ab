#include "os/host/gpu_readings.h"

#include "base/text.h"
#include "os/file/local_files.h"
#include "os/host/proc_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace muster::os {
namespace {

constexpr uint64_t kIndexMax = 4095;
constexpr double kMebibytesMax = 1 << 24;
constexpr double kWattsMax = 100'000;
constexpr double kCelsiusMax = 1000;
constexpr std::string_view kAmd = "0x1002";

/// Parses a number from 0 to `max`.
std::optional<double> parse_within(std::string_view text, double max) {
  const std::string whole(trim(text));
  char* end = nullptr;
  const double value = std::strtod(whole.c_str(), &end);
  const bool parsed = end != whole.c_str() && *end == '\0' && std::isfinite(value);
  return parsed && value >= 0 && value <= max ? std::optional(value) : std::nullopt;
}

std::optional<double> share_of_percent(std::string_view text) {
  const std::optional<double> percent = parse_within(text, 100);
  return percent ? std::optional(std::round(*percent) / 100) : std::nullopt;
}

std::optional<uint64_t> bytes_of_mebibytes(std::string_view text) {
  const std::optional<double> mebibytes = parse_within(text, kMebibytesMax);
  return mebibytes ? std::optional(static_cast<uint64_t>(*mebibytes) << 20) : std::nullopt;
}

/// Returns the number in "card0"; nothing for "card0-DP-1" or "renderD128".
std::optional<uint64_t> card_number(std::string_view name) {
  constexpr std::string_view kCard = "card";
  return name.starts_with(kCard) && name.size() <= kCard.size() + 4
             ? parse_decimal(name.substr(kCard.size()))
             : std::nullopt;
}

/// Reads a file that holds millionths or thousandths.
std::optional<double> read_scaled(const Path& path, double scale, double max) {
  const std::optional<double> value = parse_within(read_proc(path), max * scale);
  return value ? std::optional(*value / scale) : std::nullopt;
}

GpuReading read_amd_card(const Path& device) {
  GpuReading reading{.maker = GpuMaker::Amd};
  reading.utilization = share_of_percent(read_proc(device / "gpu_busy_percent"));
  reading.memory_used_bytes = parse_decimal(read_proc(device / "mem_info_vram_used"));
  reading.memory_bytes = parse_decimal(read_proc(device / "mem_info_vram_total"));
  const auto monitors = make_local_files(nullptr)->list(device / "hwmon");
  for (const FolderEntry& monitor : monitors ? *monitors : std::vector<FolderEntry>()) {
    const Path folder = device / "hwmon" / monitor.name;
    constexpr double kMicro = 1e6;
    reading.power_w = read_scaled(folder / "power1_average", kMicro, kWattsMax);
    if (!reading.power_w) {
      reading.power_w = read_scaled(folder / "power1_input", kMicro, kWattsMax);
    }
    reading.temperature_c = read_scaled(folder / "temp1_input", 1e3, kCelsiusMax);
  }
  return reading;
}

}  // namespace

std::optional<GpuReading> parse_gpu_reading(std::string_view line) {
  const auto fields = split(line, ',');
  constexpr size_t kFields = 8;
  const auto index = fields.size() == kFields ? parse_decimal(fields[0]) : std::nullopt;
  if (!index || *index > kIndexMax) {
    return std::nullopt;
  }
  const std::string_view uuid = trim(fields[1]);
  return GpuReading{.maker = GpuMaker::Nvidia,
                    .index = static_cast<uint32_t>(*index),
                    .uuid = std::string(uuid.starts_with("GPU-") ? uuid : ""),
                    .utilization = share_of_percent(fields[2]),
                    .memory_used_bytes = bytes_of_mebibytes(fields[3]),
                    .memory_bytes = bytes_of_mebibytes(fields[4]),
                    .power_w = parse_within(fields[5], kWattsMax),
                    .temperature_c = parse_within(fields[6], kCelsiusMax),
                    .errors = parse_decimal(fields[7])};
}

std::vector<GpuReading> read_amd_gpus(const Path& drm) {
  std::vector<std::pair<uint64_t, Path>> cards;
  const auto entries = make_local_files(nullptr)->list(drm);
  for (const FolderEntry& entry : entries ? *entries : std::vector<FolderEntry>()) {
    const Path device = drm / entry.name / "device";
    const std::optional<uint64_t> number = card_number(entry.name);
    if (number && trim(read_proc(device / "vendor")) == kAmd) {
      cards.emplace_back(*number, device);
    }
  }
  std::ranges::sort(cards);
  std::vector<GpuReading> readings;
  for (const auto& [number, device] : cards) {
    GpuReading reading = read_amd_card(device);
    if (!reading.utilization && !reading.memory_used_bytes) {
      continue;  // This card belongs to another driver.
    }
    reading.index = static_cast<uint32_t>(readings.size());
    readings.push_back(std::move(reading));
  }
  return readings;
}

void BoundedLines::take(std::string_view bytes,
                        const std::function<void(std::string_view line)>& line) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    too_long_ = too_long_ || begun_.size() + piece.size() > bytes_max_;
    if (too_long_) {
      begun_.clear();
    } else {
      begun_ += piece;
    }
    if (end == std::string_view::npos) {
      return;
    }
    if (!std::exchange(too_long_, false)) {
      line(begun_);
    }
    begun_.clear();
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace muster::os
