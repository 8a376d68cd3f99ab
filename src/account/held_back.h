#pragma once

#include "account/evidence.h"

#include <string>

namespace muster::account {

/// Returns whether a task's main threads could have run for much longer than they were given a
/// processor.
[[nodiscard]] bool is_held_back(const TaskEvidence& task);

/// Returns what held it back: a limit of its own, or others on its host, according to the counters
/// of its control group or, without them, as far as its peers on the same host show: "others keep
/// h3 busy".
[[nodiscard]] std::string why_held_back(const Evidence& evidence, const TaskEvidence& task);

/// Returns what to do about it.
[[nodiscard]] std::string after_held_back(const TaskEvidence& task);

/// From this share of its time on, a task is considered short of memory.
inline constexpr double kWaitingForMemoryMuch = 0.3;
/// Returns whether much of its time was spent waiting for memory to become available or to be read
/// again.
[[nodiscard]] bool is_short_of_memory(const TaskEvidence& task);
/// "its control group waited for memory for 64 % of the time"
[[nodiscard]] std::string why_short_of_memory(const TaskEvidence& task);
[[nodiscard]] std::string after_short_of_memory(const TaskEvidence& task);

/// Returns the share of its processor time that a Java virtual machine spent collecting garbage; 0
/// if unknown.
[[nodiscard]] double collecting_of(const TaskEvidence& task);
/// From this share on, the heap is considered too small.
inline constexpr double kCollectingMuch = 0.3;
[[nodiscard]] std::string after_collecting();

}  // namespace muster::account
