#pragma once

#include "base/result.h"
#include "framework/seat.h"
#include "job/plan.h"
#include "job/view.h"

#include <map>
#include <string>
#include <string_view>

namespace muster::framework {

/// What Muster puts into a task's environment. The user's own variables are the agent's to add.
struct EnvironmentMap {
  std::map<std::string, std::string> set;  ///< Overrides inherited variables and the user's.
  std::map<std::string, std::string>
      defaults;  ///< Applies only if neither inherited nor set by the user.
  bool operator==(const EnvironmentMap&) const = default;
};

/// Returns whether a variable is one of those that programs written for TonY read.
[[nodiscard]] bool is_tony_variable(std::string_view name);

/// Returns the environment of one task of the view (docs/reference/environment.md): Muster's and
/// TonY's names, and what its framework reads. An error if the view does not list the task (a bug),
/// or if a variable became longer than the kernel allows (long host names; the user's).
[[nodiscard]] Result<EnvironmentMap> environment(const job::Plan& plan, const job::View& view,
                                                 const TaskContext& context);

/// Returns the variable that names a port of the spec: "MUSTER_PORT_HTTP" for `http`.
[[nodiscard]] std::string port_variable(std::string_view port_name);

}  // namespace muster::framework
