#pragma once

#include "account/evidence.h"

#include <string>

namespace muster::account {

/// Whether a task's main threads could have run for much longer than they were given a processor.
[[nodiscard]] bool is_held_back(const TaskEvidence& task);

/// What held it back: a limit of its own, or the others on its host, by the counters of its control
/// group or, without them, as far as its peers on the same host tell: "others keep h3 busy".
[[nodiscard]] std::string why_held_back(const Evidence& evidence, const TaskEvidence& task);

/// What to do about it.
[[nodiscard]] std::string after_held_back(const TaskEvidence& task);

/// As large a share of its time as tells that a task is short of memory.
inline constexpr double kWaitingForMemoryMuch = 0.3;
/// Whether much of its time went by waiting for memory: to be had, or read again.
[[nodiscard]] bool is_short_of_memory(const TaskEvidence& task);
/// "its control group waited for memory for 64 % of the time"
[[nodiscard]] std::string why_short_of_memory(const TaskEvidence& task);
[[nodiscard]] std::string after_short_of_memory(const TaskEvidence& task);

/// The share of its processor time in which a Java virtual machine collected garbage; 0 if unknown.
[[nodiscard]] double collecting_of(const TaskEvidence& task);
/// As much of it as tells that the heap is too small.
inline constexpr double kCollectingMuch = 0.3;
[[nodiscard]] std::string after_collecting();

}  // namespace muster::account
