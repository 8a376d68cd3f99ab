#pragma once

#include "base/log.h"
#include "base/time.h"
#include "os/host/gpu_readings.h"
#include "os/process/processes.h"
#include "rt/io_loop.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::os {

/// Measures the GPUs of this host while somebody wants it. Lives on its loop's thread; nothing
/// blocks. If no GPU answers there are no readings, which is not an error.
class GpuMeter {
 public:
  virtual ~GpuMeter() = default;
  /// Starts measuring about once a second, or stops. Repeating a call changes nothing.
  virtual void watch(bool on) = 0;
  /// The last reading of each GPU, by index; one older than 5 s is dropped.
  [[nodiscard]] virtual std::vector<GpuReading> latest() const = 0;
};

struct GpuMeterOptions {
  /// The environment of nvidia-smi, which is looked up on its PATH, then where drivers and
  /// containers put it.
  std::map<std::string, std::string> environment;
  Path drm = "/sys/class/drm";
  /// Before nvidia-smi is started again after its first end; then twice as long each time, up to
  /// 5 min.
  Duration rest_first = std::chrono::seconds(1);
};

/// Runs one nvidia-smi that prints all GPUs once a second; it ends with this process. If there is
/// none, or it knows no GPU, reads the files of AMD's driver. All arguments must outlive it;
/// destroying it ends the program.
[[nodiscard]] std::unique_ptr<GpuMeter> make_gpu_meter(rt::IoLoop& loop, Processes& processes,
                                                       log::Sink& log, GpuMeterOptions options);

}  // namespace muster::os
