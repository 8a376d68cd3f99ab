#pragma once

#include "agent/attempt/task_environment.h"
#include "base/result.h"
#include "cluster/agent_launch.h"
#include "cluster/job_folder.h"
#include "job/ids.h"
#include "job/plan.h"
#include "spec/spec.h"
#include "verdict/classifier.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace muster::agent {

/// What an agent must know about itself.
struct AgentIdentity {
  cluster::AgentLaunch launch;
  Variables inherited;  ///< The environment that tasks inherit.
  std::string host_name;
  std::string version;
  std::string program;  ///< Muster's own binary.
  int32_t pid = 0;
};

/// What an agent knows: about itself from its launch, and about its job once a master has told it.
class JobContext {
 public:
  explicit JobContext(AgentIdentity identity);

  /// Takes the job's plan and secrets, if the welcome has them. An error says that this agent
  /// cannot understand the plan.
  [[nodiscard]] Status learn(const wire::MasterWelcome& welcome);

  [[nodiscard]] const AgentIdentity& identity() const { return identity_; }
  [[nodiscard]] const cluster::LaunchOrder& order() const { return identity_.launch.order; }
  [[nodiscard]] const cluster::JobFolder& folder() const { return folder_; }
  [[nodiscard]] bool on_yarn() const { return identity_.inherited.contains(kApplicationId); }

  [[nodiscard]] bool has_plan() const { return plan_.has_value(); }
  /// has_plan() must be true, here and for everything below.
  [[nodiscard]] const job::Plan& plan() const { return *plan_; }
  [[nodiscard]] verdict::Classifier& classifier() { return *classifier_; }
  [[nodiscard]] const Variables& secrets() const { return secrets_; }

  /// Returns whether the attempt is one of the plan's. Valid without a plan, too.
  [[nodiscard]] bool knows(job::AttemptId id) const;
  /// knows(id) must be true.
  [[nodiscard]] const job::RolePlan& role_of(job::AttemptId id) const;
  [[nodiscard]] const spec::Role& spec_role_of(job::AttemptId id) const;

  /// "worker-3.1": names an attempt in files and logs. Valid for any attempt.
  [[nodiscard]] std::string stem_of(job::AttemptId id) const;
  [[nodiscard]] std::filesystem::path work_folder(job::AttemptId id) const;
  /// "logs/worker-3.1", to which ".stdout" and ".stderr" are added.
  [[nodiscard]] std::filesystem::path log_stem(job::AttemptId id) const;
  /// What all tasks of this host share.
  [[nodiscard]] std::filesystem::path host_folder() const;

 private:
  [[nodiscard]] Status learn_plan(const wire::MasterWelcome& welcome);

  AgentIdentity identity_;
  cluster::JobFolder folder_;
  std::optional<job::Plan> plan_;
  std::optional<verdict::Classifier> classifier_;
  Variables secrets_;
};

}  // namespace muster::agent
