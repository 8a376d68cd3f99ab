#include "os/host/gpus.h"

#include "base/text.h"
#include "os/file/local_files.h"
#include "os/host/proc_text.h"
#include "os/process/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace muster::os {
namespace {

/// The driver names its GPUs by bus address; with CUDA_DEVICE_ORDER=PCI_BUS_ID, CUDA numbers them
/// in that order.
std::vector<Gpu> ask_driver(const std::vector<FolderEntry>& by_bus) {
  std::vector<Gpu> gpus;
  for (const FolderEntry& entry : by_bus) {
    auto gpu = parse_nvidia_information(
        read_proc(Path("/proc/driver/nvidia/gpus") / entry.name / "information"));
    if (gpu.has_value()) {
      gpu->index = static_cast<uint32_t>(gpus.size());
      gpus.push_back(std::move(gpu).value());
    }
  }
  return gpus;
}

Error unreadable(std::string_view what, std::string_view line) {
  return Error{Errc::Corrupt, Blame::Cluster,
               fmt::format("unexpected output of {}: {}", what, printable(line))};
}

}  // namespace

std::optional<std::vector<Gpu>> ask_nvidia_smi() {
  SpawnOptions ask{.argv = {"nvidia-smi", "--query-gpu=index,uuid,name,memory.total",
                            "--format=csv,noheader,nounits"},
                   .env = own_environment(),
                   .stderr_to = ToNull{}};
  const auto output = run_command(std::move(ask), std::chrono::seconds(20));
  if (!output.has_value() || output->exit.code != 0) {
    return std::nullopt;
  }
  auto gpus = parse_nvidia_smi(output->stdout_text);
  return gpus.has_value() ? std::optional(std::move(gpus).value()) : std::nullopt;
}

std::vector<Gpu> discover_gpus() {
  // Not every driver that nvidia-smi works with has this folder: WSL's does not.
  const auto by_bus = make_local_files(nullptr)->list("/proc/driver/nvidia/gpus");
  const auto told = ask_nvidia_smi();
  if (told.has_value() || !by_bus.has_value()) {
    return told.value_or(std::vector<Gpu>());
  }
  return ask_driver(*by_bus);
}

Result<std::vector<Gpu>> parse_nvidia_smi(std::string_view text) {
  std::vector<Gpu> gpus;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty()) {
      continue;
    }
    const auto fields = split(line, ',');
    const auto index = fields.size() == 4 ? parse_decimal(fields[0]) : std::nullopt;
    if (!index.has_value()) {
      return unreadable("nvidia-smi", line);
    }
    // Some GPUs, and parts of GPUs, report no memory of their own: "[N/A]".
    const uint64_t mebibytes = parse_decimal(fields[3]).value_or(0);
    gpus.push_back({.index = static_cast<uint32_t>(*index),
                    .uuid = std::string(trim(fields[1])),
                    .model = std::string(trim(fields[2])),
                    .memory_bytes = mebibytes << 20});
  }
  std::ranges::sort(gpus, {}, &Gpu::index);
  return gpus;
}

Result<Gpu> parse_nvidia_information(std::string_view text) {
  Gpu gpu;
  for (const std::string_view line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string_view key = trim(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (key == "Model") {
      gpu.model = value;
    } else if (key == "GPU UUID" && value.find('?') == std::string_view::npos) {
      gpu.uuid = value;
    }
  }
  if (gpu.model.empty()) {
    return unreadable("the nvidia driver", text.substr(0, 200));
  }
  return gpu;
}

}  // namespace muster::os
