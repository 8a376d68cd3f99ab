#include "client/submit/fit_text.h"

#include "base/text.h"
#include "job/describe.h"

#include <fmt/format.h>

namespace muster::client {
namespace {

/// " of 2.0 GiB, 1 vcore": what each container of the role asks for; "" if it asks for nothing.
std::string resources_text(const job::RolePlan& role, const job::Resources& each) {
  std::vector<std::string> parts;
  if (role.resources.memory_bytes > 0) {  // The agent's own share alone is not worth mentioning.
    parts.push_back(format_bytes(each.memory_bytes));
  }
  if (each.vcores > 0) {
    parts.push_back(job::count_of(each.vcores, "vcore"));
  }
  if (each.gpus > 0) {
    parts.push_back(job::count_of(each.gpus, "GPU"));
  }
  for (const auto& [name, amount] : each.other) {
    parts.push_back(fmt::format("{} {}", amount, name));
  }
  return parts.empty() ? "" : " of " + join(parts, ", ");
}

std::string role_text(const job::RolePlan& role, const cluster::RoleFit* fit) {
  std::string text = fmt::format("{:<14} {}", role.name, job::count_of(role.tasks, "task"));
  if (role.tasks_min != role.tasks) {
    text += fmt::format(" (at least {})", role.tasks_min);
  }
  if (fit != nullptr) {
    text += fmt::format(" in {}{}", job::count_of(fit->containers, "container"),
                        resources_text(role, fit->each));
  }
  text += fmt::format("; {}, success {}, failure {}\n", to_string(role.membership),
                      to_string(role.success), to_string(role.failure));
  if (fit != nullptr && !fit->reason.empty()) {
    text += fmt::format("{:<14} {}: {}\n", "", fit->fits_ever ? "must wait" : "can never fit",
                        fit->reason);
  }
  return text;
}

const cluster::RoleFit* find_fit(const cluster::Fit& fit, const std::string& role) {
  for (const cluster::RoleFit& each : fit.roles) {
    if (each.role == role) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace

std::string render_fit(const job::Plan& plan, const cluster::Fit& fit) {
  std::string out = fmt::format("{}: framework {}, barrier {}, {}\n", plan.name, plan.framework,
                                to_string(plan.barrier), job::count_of(plan.task_count(), "task"));
  for (const job::RolePlan& role : plan.roles) {
    out += role_text(role, find_fit(fit, role.name));
  }
  out += "capacity: " + fit.capacity + "\n";
  for (const std::string& assumed : fit.assumed) {
    out += "assumed: " + assumed + "\n";
  }
  for (const std::string& warning : fit.warnings) {
    out += "warning: " + warning + "\n";
  }
  if (const std::string* never = fit.never()) {
    return out + "verdict: can never fit: " + *never + "\n";
  }
  for (const cluster::RoleFit& role : fit.roles) {
    if (!role.fits_now) {
      return out + "verdict: must wait: " + role.reason + "\n";
    }
  }
  return out + "verdict: fits now\n";
}

std::string render_fit_json(const job::Plan& plan, const cluster::Fit& fit) {
  std::string out = fmt::format(R"({{"schema":"muster.fit/1","name":{},"framework":{},)"
                                R"("fits_ever":{},"capacity":{},"roles":[)",
                                json_quote(plan.name), json_quote(plan.framework),
                                fit.never() == nullptr, json_quote(fit.capacity));
  for (size_t i = 0; i < fit.roles.size(); ++i) {
    const cluster::RoleFit& role = fit.roles[i];
    out += fmt::format(R"({}{{"role":{},"containers":{},"memory":{},"vcores":{},"gpus":{},)"
                       R"("fits_ever":{},"fits_now":{},"reason":{}}})",
                       i == 0 ? "" : ",", json_quote(role.role), role.containers,
                       role.each.memory_bytes, role.each.vcores, role.each.gpus, role.fits_ever,
                       role.fits_now, role.reason.empty() ? "null" : json_quote(role.reason));
  }
  out += "],\"assumed\":[";
  for (size_t i = 0; i < fit.assumed.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_quote(fit.assumed[i]);
  }
  out += "],\"warnings\":[";
  for (size_t i = 0; i < fit.warnings.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_quote(fit.warnings[i]);
  }
  return out + "]}\n";
}

}  // namespace muster::client
