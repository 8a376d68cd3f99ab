#include "agent/job_context.h"

#include "base/check.h"
#include "framework/framework.h"
#include "framework/plan.h"
#include "spec/write/serialize.h"

#include <algorithm>
#include <utility>

namespace muster::agent {

JobContext::JobContext(AgentIdentity identity)
    : identity_(std::move(identity)), folder_(identity_.launch.job_folder) {}

Status JobContext::learn(const wire::MasterWelcome& welcome) {
  if (!welcome.secrets.empty()) {
    secrets_ = welcome.secrets;
  }
  return plan_ || welcome.plan_json.empty() ? Status() : learn_plan(welcome);
}

Status JobContext::learn_plan(const wire::MasterWelcome& welcome) {
  MUSTER_TRY(spec::Spec spec, spec::parse_json(welcome.plan_json));
  framework::PlanContext context;
  context.job = job::JobId{welcome.job_id};
  context.seed = welcome.seed;
  context.orphan = identity_.launch.orphan;
  MUSTER_TRY(job::Plan plan, framework::plan(spec, context));
  verdict::PythonContext python;
  python.module = framework::python_module(plan.spec);
  python.client_python = welcome.client_python;
  MUSTER_TRY(verdict::Classifier classifier,
             verdict::Classifier::make(plan.spec.rules, std::move(python)));
  plan_ = std::move(plan);
  classifier_ = std::move(classifier);
  return {};
}

bool JobContext::knows(job::AttemptId id) const {
  return plan_ && id.task.role.value < plan_->roles.size();
}

const job::RolePlan& JobContext::role_of(job::AttemptId id) const {
  return plan_->role(id.task.role);
}

const spec::Role& JobContext::spec_role_of(job::AttemptId id) const {
  const spec::Role* const role = spec::find_role(plan_->spec, role_of(id).name);
  MUSTER_CHECK(role != nullptr, "the plan has a role that its spec lacks");
  return *role;
}

std::string JobContext::stem_of(job::AttemptId id) const {
  return cluster::JobFolder::attempt_stem(knows(id) ? role_of(id).name : "unknown", id.task.index,
                                          id.number);
}

std::filesystem::path JobContext::work_folder(job::AttemptId id) const {
  return folder_.work() / stem_of(id);
}

std::filesystem::path JobContext::log_stem(job::AttemptId id) const {
  return folder_.logs() / stem_of(id);
}

std::filesystem::path JobContext::host_folder() const {
  // Some host names include a port, and an entry of PATH must not contain a colon.
  std::string name = order().host.value;
  std::ranges::replace(name, ':', '_');
  return folder_.root() / "hosts" / name;
}

}  // namespace muster::agent
