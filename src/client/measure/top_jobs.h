#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// What a task uses and how far it has got, as far as that is known.
struct TopUsage {
  std::optional<double> cpu;  ///< Cores.
  std::optional<double> memory_bytes;
  std::optional<double> memory_limit_bytes;
  std::optional<double> gpu;  ///< 0 to 1: the mean of its devices.
  std::optional<double> step;
  std::optional<double> steps_max;
  std::optional<double> steps_per_second;
};

struct TopTask {
  uint32_t index = 0;
  std::string state;
  std::string host;
  uint32_t attempt = 0;
  TopUsage usage;
  std::vector<double> cpu_history;  ///< A value for each second, the last one now.
};

struct TopRole {
  std::string name;
  std::vector<TopTask> tasks;
};

struct TopJob {
  std::string id;
  std::string phase;
  std::vector<TopRole> roles;
};

}  // namespace muster::client
