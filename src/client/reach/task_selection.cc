#include "client/reach/task_selection.h"

#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace muster::client {
namespace {

/// Returns the task that is meant if only a number was given, in the first role with that many
/// tasks; "" if there is none.
std::string task_of_number(const job::Plan& plan, const std::string& number) {
  for (const job::RolePlan& role : plan.roles) {
    std::string task = role.name + ":" + number;
    if (job::parse_task(plan, task)) {
      return task;
    }
  }
  return {};
}

Error no_such_role(const job::Plan& plan, const std::string& role) {
  if (const std::string task = task_of_number(plan, role); !task.empty()) {
    return user_error(
        fmt::format("a task is ROLE:INDEX, not {}; did you mean {}?", printable(role), task));
  }
  std::vector<std::string_view> names;
  std::string known;
  for (const job::RolePlan& each : plan.roles) {
    names.push_back(each.name);
    known += (known.empty() ? "" : ", ") + each.name;
  }
  const auto near = nearest(role, names);
  return user_error(
      fmt::format("the job has no role \"{}\"{}", printable(role),
                  near ? fmt::format("; did you mean {}?", *near) : "; its roles are " + known));
}

}  // namespace

Result<cluster::TaskSelector> selector_of(const std::string& text, const job::Plan& plan) {
  const size_t colon = text.find(':');
  cluster::TaskSelector selector{.role = text.substr(0, colon), .index = {}};
  const auto role = plan.find_role(selector.role);
  if (!role) {
    return no_such_role(plan, selector.role);
  }
  if (colon == std::string::npos) {
    return selector;
  }
  const std::optional<job::TaskId> task = job::parse_task(plan, text);
  if (!task) {
    return user_error(fmt::format("the job has no task {}: role {} has {}, counted from 0",
                                  printable(text), selector.role,
                                  job::count_of(plan.role(*role).tasks, "task")));
  }
  selector.index = task->index;
  return selector;
}

Result<std::vector<job::TaskId>> tasks_of(const std::vector<std::string>& texts,
                                          const job::Plan& plan) {
  std::vector<job::TaskId> tasks;
  const auto add = [&tasks](job::TaskId task) {
    if (std::ranges::find(tasks, task) == tasks.end()) {
      tasks.push_back(task);
    }
  };
  for (const std::string& text : texts) {
    MUSTER_TRY(const cluster::TaskSelector selector, selector_of(text, plan));
    const job::RoleIndex role = *plan.find_role(selector.role);
    if (selector.index) {
      add({role, *selector.index});
      continue;
    }
    for (uint32_t index = 0; index < plan.role(role).tasks; ++index) {
      add({role, index});
    }
  }
  return tasks;
}

Result<std::vector<job::TaskId>> tasks_or_all(std::vector<std::string> texts,
                                              const job::Plan& plan) {
  if (texts.empty()) {
    std::ranges::transform(plan.roles, std::back_inserter(texts), &job::RolePlan::name);
  }
  return tasks_of(texts, plan);
}

}  // namespace muster::client
