#include "eventlog/description.h"

#include "base/redaction.h"
#include "eventlog/json_text.h"
#include "spec/write/serialize.h"

#include <algorithm>

namespace muster::eventlog {
namespace {

constexpr std::string_view kHidden = "(hidden)";

/// "https://ada:password@host/": an address may contain a secret, whatever it is called.
bool holds_login(std::string_view address) {
  const size_t host = address.find("://");
  return host != std::string_view::npos &&
         address.find('@', host) < address.find_first_of("/?", host + 3);
}

void hide_secrets(spec::Environment& environment) {
  for (auto& [name, value] : environment) {
    if (value.source == spec::EnvValue::Source::Literal &&
        (sounds_secret(name) || holds_login(value.text))) {
      value.text = kHidden;
    }
  }
}

std::string spec_json(const job::Plan& plan) {
  spec::Spec shown = plan.spec;
  hide_secrets(shown.env);
  for (spec::Role& role : shown.roles) {
    hide_secrets(role.env);
  }
  // The path of a hook is often its only secret.
  std::string& hook = shown.notify.hook;
  if (const size_t path = hook.find_first_of("/?", hook.find("://") + 3);
      !hook.empty() && path != std::string::npos) {
    hook = hook.substr(0, path) + "/***";
  }
  return spec::to_json(shown);
}

std::string restart_json(const job::RestartBudget& budget) {
  return JsonObject()
      .number("process", budget.process)
      .number("container", budget.container)
      .number("host", budget.host)
      .number("job", budget.job)
      .number("infrastructure", budget.infrastructure)
      .str();
}

std::string role_json(const job::RolePlan& role) {
  JsonArray ports;
  for (const std::string& port : role.ports) {
    ports.raw(json_quote(port));
  }
  const uint32_t each = std::max(1U, role.tasks_per_container);
  return JsonObject()
      .text("name", role.name)
      .number("tasks", role.tasks)
      .number("tasks_min", role.tasks_min)
      .number("containers", (role.tasks + each - 1) / each)
      .number("tasks_per_container", role.tasks_per_container)
      .number("memory_bytes", role.resources.memory_bytes)
      .number("vcores", role.resources.vcores)
      .number("gpus", role.resources.gpus)
      .text_or_null("node_label", role.node_label)
      .text("membership", to_string(role.membership))
      .text("success", to_string(role.success))
      .text("failure", to_string(role.failure))
      .raw("restart", restart_json(role.restart))
      .raw("ports", ports.str())
      .str();
}

std::string plan_json(const job::Plan& plan) {
  JsonArray roles;
  for (const job::RolePlan& role : plan.roles) {
    roles.raw(role_json(role));
  }
  return JsonObject()
      .text("framework", plan.framework)
      .text("barrier", to_string(plan.barrier))
      .text_or_null("chief", plan.chief ? to_string(plan, *plan.chief) : std::string())
      .raw("roles", roles.str())
      .str();
}

/// Returns the job's command or, if only roles have one, theirs.
std::string command_of(const spec::Spec& spec) {
  if (spec.command) {
    return *spec.command;
  }
  std::string all;
  for (const spec::Role& role : spec.roles) {
    if (role.command) {
      all += fmt::format("{}{}: {}", all.empty() ? "" : "\n", role.name, *role.command);
    }
  }
  return all;
}

}  // namespace

std::string job_json(const job::Plan& plan, const PlanFile& file) {
  return JsonObject()
      .text("schema", "muster.job/1")
      .text("job", plan.job.value)
      .text("name", plan.name)
      .text_or_null("user", file.user)
      .text("submitted", format_iso(file.submitted))
      .text("on", file.on)
      .text("queue", plan.spec.yarn.queue)
      .text_or_null("command", command_of(plan.spec))
      .text_or_null("working_folder", file.working_folder)
      .text("framework", plan.framework)
      .raw("spec", spec_json(plan))
      .raw("plan", plan_json(plan))
      .str();
}

}  // namespace muster::eventlog
