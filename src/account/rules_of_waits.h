#pragma once

#include "account/advice.h"

#include <string>
#include <vector>

/// Rules about what the main threads of programs wait for.
namespace muster::account {

void input_behind(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void python_lock(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void names_slow(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void steps_network_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void steps_starved(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);

/// From this share of its time on, a task is considered held up by its own child processes.
inline constexpr double kWaitingForChildrenMuch = 0.5;
/// Returns whether a task spends much of its time waiting for its own child processes.
[[nodiscard]] bool is_behind_with_input(const TaskEvidence& task);

/// From this many waiting threads on, Python's lock is considered to hold up a program.
inline constexpr double kWaitingForLockMany = 1;
/// Returns whether threads of a task compete for Python's lock so much that only one of them works
/// at a time.
[[nodiscard]] bool is_held_by_lock(const TaskEvidence& task);

/// What was measured about a task that computes little: what its main thread waits for most, and
/// what to do about it. Both are "" if nothing measured takes much of its time.
struct LongWait {
  std::string text;  ///< "its main thread slept for 93 % of the time"
  std::string what;
};
[[nodiscard]] LongWait long_wait_of(const TaskEvidence& task);

}  // namespace muster::account
