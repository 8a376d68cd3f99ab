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

/// As large a share of its time as tells that a task's own child processes hold it up.
inline constexpr double kWaitingForChildrenMuch = 0.5;
/// Whether a task waits for child processes of its own for much of its time.
[[nodiscard]] bool is_behind_with_input(const TaskEvidence& task);

/// As many waiting threads as tell that Python's lock is what a program's work is held up by.
inline constexpr double kWaitingForLockMany = 1;
/// Whether threads of a task want Python's lock so much that one of them works at a time.
[[nodiscard]] bool is_held_by_lock(const TaskEvidence& task);

/// What was measured of a task that computes little: what its main thread waits for most, and what
/// to do about it. Both "" where nothing that was measured takes much of its time.
struct LongWait {
  std::string text;  ///< "its main thread slept for 93 % of the time"
  std::string what;
};
[[nodiscard]] LongWait long_wait_of(const TaskEvidence& task);

}  // namespace muster::account
