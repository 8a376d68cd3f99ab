#include "agent/attempt/task_environment.h"

#include "base/check.h"
#include "control/keys.h"
#include "framework/address_book.h"
#include "framework/environment.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

/// Returns the path of a role's secret variable among the secrets: the role's own entry, else the
/// top-level one.
std::string secret_path(const spec::Role& role, const std::string& name) {
  return role.env.contains(name) ? "roles." + role.name + ".env." + name : "env." + name;
}

/// The user's own variables.
Result<Variables> user_variables(const spec::Spec& spec, const spec::Role& role,
                                 const Variables& secrets) {
  Variables variables;
  for (const auto& [name, value] : spec::settings_of(spec, role).env) {
    if (value.source == spec::EnvValue::Source::Literal) {
      variables[name] = value.text;
      continue;
    }
    const auto secret = secrets.find(secret_path(role, name));
    if (secret == secrets.end()) {
      return bug("the master sent no value for the secret variable " + name);
    }
    variables[name] = secret->second;
  }
  return variables;
}

framework::TaskContext context_of(const EnvironmentSources& sources, const job::RolePlan& role) {
  framework::TaskContext context;
  context.task = sources.order.attempt.task;
  // From the environment that the agent itself was started with.
  const auto application = sources.inherited->find(kApplicationId);
  if (application != sources.inherited->end()) {
    context.application_id = application->second;
  }
  context.checkpoint_dir = sources.checkpoint_folder;
  context.view_file = sources.view_file;
  context.program = sources.program;
  context.interface = sources.interface;
  context.cores = sources.cores;
  context.gpus = gpus_of_slot(sources.gpus, sources.order.slot, role.resources.gpus);
  context.container_gpus = sources.gpus;
  return context;
}

void put_first(Variables& variables, const std::string& name, const std::string& folder) {
  std::string& value = variables[name];
  value = value.empty() ? folder : folder + ":" + value;
}

}  // namespace

Result<TaskEnvironment> make_environment(const EnvironmentSources& sources) {
  const job::RolePlan& role = sources.plan->role(sources.order.attempt.task.role);
  const spec::Role* const role_spec = spec::find_role(sources.plan->spec, role.name);
  MUSTER_CHECK(role_spec != nullptr, "the plan has a role that its spec lacks");
  MUSTER_TRY(framework::EnvironmentMap own,
             framework::environment(*sources.plan, *sources.view, context_of(sources, role)));
  MUSTER_TRY(Variables user, user_variables(sources.plan->spec, *role_spec, *sources.secrets));
  TaskEnvironment environment;
  environment.view_text = framework::view_json(*sources.plan, *sources.view);
  Variables& variables = environment.variables;
  variables = *sources.inherited;
  // An outer job's names must not shine through (a task that itself runs muster).
  const bool nested = variables.contains("MUSTER_JOB_ID");
  std::erase_if(variables, [&](const auto& entry) {
    return (entry.first.starts_with("MUSTER_") && entry.first != "MUSTER_HOME") ||
           (nested && framework::is_tony_variable(entry.first));
  });
  if (sources.inherited->contains(kApplicationId)) {
    // Hadoop sets it for its own Java processes; it slows down programs with many threads.
    variables.erase("MALLOC_ARENA_MAX");
  }
  variables.merge(own.defaults);
  if (!sources.python_folder.empty()) {
    put_first(variables, "PATH", sources.python_folder);
  }
  if (!sources.class_path.empty()) {
    variables["CLASSPATH"] = sources.class_path;
  }
  for (auto& [name, value] : user) {
    variables[name] = std::move(value);
  }
  for (auto& [name, value] : own.set) {
    variables[name] = std::move(value);
  }
  if (!sources.program_folder.empty()) {
    variables["PATH"] += ":" + sources.program_folder.string();
  }
  if (!sources.commit_folder.empty()) {
    variables["MUSTER_COMMIT_DIR"] = sources.commit_folder;
  }
  if (const auto key = sources.secrets->find(control::kTaskKeySecret);
      key != sources.secrets->end()) {
    variables["MUSTER_TASK_KEY"] = key->second;
  }
  variables["MUSTER_RESTARTS"] = std::to_string(sources.order.restarts);
  variables["PWD"] = sources.work_folder;
  return environment;
}

std::vector<uint32_t> gpus_of_slot(const std::vector<uint32_t>& container_gpus, uint32_t slot,
                                   uint32_t gpus_per_task) {
  const size_t first = std::min(container_gpus.size(), static_cast<size_t>(slot) * gpus_per_task);
  const size_t last = std::min(container_gpus.size(), first + gpus_per_task);
  return {container_gpus.begin() + static_cast<ptrdiff_t>(first),
          container_gpus.begin() + static_cast<ptrdiff_t>(last)};
}

}  // namespace muster::agent
