#pragma once

#include "os/file/files.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::os {

enum class GpuMaker : uint8_t { Nvidia, Amd };

/// How busy one GPU of this host is. What its driver does not report is missing.
struct GpuReading {
  GpuMaker maker = GpuMaker::Nvidia;
  uint32_t index = 0;  ///< As in Gpu; of AMD's, the order of their cards.
  std::string uuid;    ///< "GPU-..."; empty if unknown.
  std::optional<double>
      utilization;  ///< 0 to 1: share of the last second or so in which it worked.
  std::optional<uint64_t> memory_used_bytes;
  std::optional<uint64_t> memory_bytes;
  std::optional<double> power_w;
  std::optional<double> temperature_c;
  /// Memory errors that could not be corrected, since the driver was loaded.
  std::optional<uint64_t> errors;
  bool operator==(const GpuReading&) const = default;
};

/// The fields that parse_gpu_reading() expects of nvidia-smi, with --format=csv,noheader,nounits.
inline constexpr std::string_view kGpuQuery =
    "index,uuid,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu,"
    "ecc.errors.uncorrected.volatile.total";

/// Parses one line of nvidia-smi; returns nothing if it is some other text. A field that is not a
/// plausible number ("[N/A]", "[Not Supported]", "ERR!") is missing.
[[nodiscard]] std::optional<GpuReading> parse_gpu_reading(std::string_view line);

/// Reads what AMD's driver reports below `drm` (/sys/class/drm). Blocks: a driver may have to ask
/// its card.
[[nodiscard]] std::vector<GpuReading> read_amd_gpus(const Path& drm);

/// Cuts a stream into lines. A line longer than `bytes_max` is dropped whole, so a stream without
/// any line break costs no more memory than that.
class BoundedLines {
 public:
  explicit BoundedLines(size_t bytes_max) : bytes_max_(bytes_max) {}
  /// Calls `line` for every line that is complete now, without its newline.
  void take(std::string_view bytes, const std::function<void(std::string_view line)>& line);

 private:
  size_t bytes_max_;
  std::string begun_;
  bool too_long_ = false;  ///< The line in progress is dropped.
};

}  // namespace muster::os
