#include "agent/sampling/visible_gpus.h"

#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster::agent {
namespace {

using Variables = std::map<std::string, std::string>;

const std::string* find(const Variables& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : &found->second;
}

std::optional<uint32_t> parse_index(std::string_view entry) {
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  return error == std::errc() && end == entry.data() + entry.size() ? std::optional(index)
                                                                    : std::nullopt;
}

/// "GPU-8932" matches a UUID that begins with it; a part of a GPU is "MIG-GPU-.../1/0".
bool is_named(const os::GpuReading& gpu, std::string_view entry) {
  constexpr std::string_view kPart = "MIG-";
  if (entry.starts_with(kPart)) {
    entry.remove_prefix(kPart.size());
    entry = entry.substr(0, entry.find('/'));
  }
  return entry.starts_with("GPU-") && gpu.uuid.starts_with(entry);
}

std::vector<os::GpuReading> chosen(const std::string* list, std::vector<os::GpuReading> gpus) {
  if (list == nullptr) {
    return gpus;
  }
  std::vector<os::GpuReading> seen;
  for (const std::string_view raw : split(*list, ',')) {
    const std::string_view entry = trim(raw);
    const std::optional<uint32_t> index = parse_index(entry);
    const auto found = std::ranges::find_if(gpus, [&](const os::GpuReading& gpu) {
      return index ? gpu.index == *index : is_named(gpu, entry);
    });
    if (found == gpus.end()) {
      break;
    }
    if (std::ranges::find(seen, found->index, &os::GpuReading::index) == seen.end()) {
      seen.push_back(*found);
    }
  }
  return seen;
}

bool admits(const std::string* list) {
  if (list == nullptr) {
    return true;
  }
  const std::string_view first = trim(split(*list, ',').front());
  return parse_index(first) || first.starts_with("GPU-") || first.starts_with("MIG-");
}

/// The list that AMD's programs apply after ROCR_VISIBLE_DEVICES.
const std::string* hip_list(const Variables& environment) {
  const std::string* const hip = find(environment, "HIP_VISIBLE_DEVICES");
  return hip != nullptr ? hip : find(environment, "CUDA_VISIBLE_DEVICES");
}

}  // namespace

bool may_see_gpus(const Variables& environment) {
  return admits(find(environment, "CUDA_VISIBLE_DEVICES")) ||
         (admits(find(environment, "ROCR_VISIBLE_DEVICES")) && admits(hip_list(environment)));
}

std::vector<os::GpuReading> visible_gpus(const Variables& environment,
                                         const std::vector<os::GpuReading>& all) {
  if (all.empty() || all.front().maker == os::GpuMaker::Nvidia) {
    return chosen(find(environment, "CUDA_VISIBLE_DEVICES"), all);
  }
  const std::string* const rocr = find(environment, "ROCR_VISIBLE_DEVICES");
  std::vector<os::GpuReading> gpus = chosen(rocr, all);
  if (rocr == nullptr) {
    return chosen(hip_list(environment), std::move(gpus));
  }
  // HIP's indices count only the GPUs that ROCR left.
  std::vector<uint32_t> indices;
  for (size_t i = 0; i < gpus.size(); ++i) {
    indices.push_back(gpus[i].index);
    gpus[i].index = static_cast<uint32_t>(i);
  }
  gpus = chosen(hip_list(environment), std::move(gpus));
  for (os::GpuReading& gpu : gpus) {
    gpu.index = indices[gpu.index];
  }
  return gpus;
}

}  // namespace muster::agent
