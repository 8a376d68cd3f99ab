#include "job/parts/early_ends.h"

#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <vector>

namespace muster::job {
namespace {

/// The tasks that it leaves behind may be reported before it is.
constexpr Duration kReportedApart = std::chrono::seconds(1);

struct EarlyEnd {
  TaskId task;
  Time at{};
};

bool is_static(const Plan& plan, TaskId id) {
  return plan.role(id.role).membership == spec::Membership::Static;
}

/// Returns the tasks that ended while the attempt that lost a peer was running, earliest first.
std::vector<EarlyEnd> early_ends(const Plan& plan, const State& state, const Cause& loss) {
  const Attempt* const loser = state.find_attempt(loss.first.attempt);
  std::vector<EarlyEnd> ends;
  if (loser == nullptr || !is_static(plan, loss.task())) {
    return ends;
  }
  for (const std::vector<Task>& role : state.tasks) {
    for (const Task& task : role) {
      const Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (last == nullptr || task.state != TaskState::Succeeded || !last->exit ||
          !is_static(plan, task.id)) {
        continue;
      }
      const Time at = last->ended - last->exit->age;
      if (at >= loser->started && at <= loss.at + kReportedApart) {
        ends.push_back({.task = task.id, .at = at});
      }
    }
  }
  std::ranges::sort(ends, [](const EarlyEnd& one, const EarlyEnd& other) {
    return std::tuple(one.at, one.task) < std::tuple(other.at, other.task);
  });
  return ends;
}

}  // namespace

std::string describe_early_ends(const Plan& plan, const State& state, const Cause& loss) {
  const std::vector<EarlyEnd> ends = early_ends(plan, state, loss);
  if (ends.empty()) {
    return "";
  }
  const Duration before = loss.at - ends.front().at;
  const std::string earlier =
      before < kReportedApart ? std::string() : format_duration(before) + " earlier";
  const std::string first = to_string(plan, ends.front().task);
  if (ends.size() == 1) {
    return fmt::format("{} left {}with exit code 0, before its peers were done", first,
                       earlier.empty() ? earlier : earlier + " ");
  }
  return fmt::format("{} and {} left with exit code 0 before their peers were done{}", first,
                     count_of(ends.size() - 1, "other"),
                     earlier.empty() ? earlier : ", the first " + earlier);
}

}  // namespace muster::job
