#pragma once

#include "sim/core/agent_model.h"
#include "sim/core/checker.h"
#include "sim/core/cluster_model.h"
#include "sim/core/core_run.h"
#include "sim/core/lines.h"
#include "sim/core/master_model.h"
#include "sim/core/plan_maker.h"
#include "sim/core/probes.h"
#include "sim/core/truth.h"
#include "sim/world.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// One run: the models, the checkers and the wiring between them.
class CoreRun {
 public:
  explicit CoreRun(const SeedRun& options)
      : options_(options),
        world_(options.seed),
        plan_(make_plan(world_.random().fork())),
        faults_(world_.random().fork(), options.without),
        lines_(world_, faults_),
        checkers_(make_checkers(plan_)),
        cluster_(cluster_around()),
        master_(master_around()) {}

  SeedResult run();

 private:
  ClusterModel::Around cluster_around();
  MasterModel::Around master_around();
  AgentSurroundings agent_around();

  void act(job::Epoch epoch, const job::Action& action);
  void order(job::Epoch epoch, const job::ContainerId& container, const job::Action& action);
  void give_back(const job::ContainerId& container);
  void wind_down(const job::ContainerId& container, Duration within);
  void start_agent(const job::ContainerId& container, const job::HostName& host);
  void end_agent(const job::ContainerId& container, TrueEnd how);
  void introduce(const job::ContainerId& container);
  void redial(const job::ContainerId& container);
  void dial_all();
  void dial(const job::ContainerId& container);
  void give_up(const job::ContainerId& container);
  void hear(const job::ContainerId& container, const job::Fact& fact);
  void hear_cluster(const job::Fact& fact);
  void process_died(const TrueAttempt& attempt);
  void ask_commit(const job::ContainerId& from, job::AttemptId attempt, job::Generation started_in);
  void disturb();
  void check_started();
  void heal();
  void broken(std::string_view who, std::string what);
  AgentModel* find_agent(const job::ContainerId& container);

  SeedRun options_;
  World world_;
  job::Plan plan_;
  Faults faults_;
  Lines lines_;
  Truth truth_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  Probes probes_;
  std::map<job::ContainerId, std::unique_ptr<AgentModel>> agents_;
  ClusterModel cluster_;
  MasterModel master_;
  size_t checked_starts_ = 0;
  std::string failure_;
};

}  // namespace muster::sim
