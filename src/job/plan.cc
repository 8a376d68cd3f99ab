#include "job/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::job {

std::optional<RoleIndex> Plan::find_role(std::string_view role_name) const {
  for (size_t i = 0; i < roles.size(); ++i) {
    if (roles[i].name == role_name) {
      return RoleIndex(static_cast<uint16_t>(i));
    }
  }
  return std::nullopt;
}

uint32_t Plan::task_count() const {
  uint32_t count = 0;
  for (const RolePlan& role_plan : roles) {
    count += role_plan.tasks;
  }
  return count;
}

uint32_t cores_per_task(const Plan& plan, const RolePlan& role, uint32_t cores) {
  const auto starts_later = [](const RolePlan& each) {
    return std::ranges::any_of(
        each.after, [](const After& after) { return after.condition != spec::Condition::Running; });
  };
  uint32_t beside = role.tasks;
  if (!starts_later(role)) {
    beside = 0;
    for (const RolePlan& each : plan.roles) {
      beside += starts_later(each) ? 0 : each.tasks;
    }
  }
  return std::max(1U, cores / std::max(1U, beside));
}

std::string to_string(const Plan& plan, TaskId task) {
  if (task.role.value >= plan.roles.size()) {
    return fmt::format("?{}:{}", task.role.value, task.index);
  }
  return fmt::format("{}:{}", plan.role(task.role).name, task.index);
}

std::string to_string(const Plan& plan, AttemptId attempt) {
  return fmt::format("{}#{}", to_string(plan, attempt.task), attempt.number);
}

std::optional<TaskId> parse_task(const Plan& plan, std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<RoleIndex> role = plan.find_role(text.substr(0, colon));
  const std::string_view digits = text.substr(colon + 1);
  uint32_t index = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (!role || failed != std::errc() || end != digits.data() + digits.size() ||
      index >= plan.role(*role).tasks) {
    return std::nullopt;
  }
  return TaskId{*role, index};
}

}  // namespace muster::job
