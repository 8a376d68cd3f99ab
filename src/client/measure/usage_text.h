#pragma once

#include "client/measure/top_jobs.h"

#include <string>

namespace muster::client {

/// Text for one task's use, "" for what is not known: "0.98" (cores), "1.2G/2G", "45%", "3.4"
/// (steps per second).
[[nodiscard]] std::string cpu_text(const TopUsage& usage);
[[nodiscard]] std::string memory_text(const TopUsage& usage);
[[nodiscard]] std::string gpu_text(const TopUsage& usage);
[[nodiscard]] std::string steps_text(const TopUsage& usage);

/// All of it: "cpu 0.98, memory 1.2G/2G, gpu 45%, 3.4 steps/s"; "" if nothing is known.
[[nodiscard]] std::string usage_text(const TopUsage& usage);

}  // namespace muster::client
