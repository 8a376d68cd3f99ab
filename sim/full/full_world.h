#pragma once

#include "cluster/master_starter.h"
#include "eventlog/derive_plan.h"
#include "sim/core/checker.h"
#include "sim/core/cluster_model.h"
#include "sim/core/faults.h"
#include "sim/core/probes.h"
#include "sim/core/truth.h"
#include "sim/full/agent_process.h"
#include "sim/full/agent_watch.h"
#include "sim/full/cluster_link.h"
#include "sim/full/full_run.h"
#include "sim/full/log_disk.h"
#include "sim/full/log_shadow.h"
#include "sim/full/master_process.h"
#include "sim/full/mirror_check.h"
#include "sim/full/process_loop.h"
#include "sim/full/rogue.h"
#include "sim/full/shell_log.h"
#include "sim/full/yarn_model.h"
#include "sim/world.h"
#include "testing/memory_files.h"
#include "testing/memory_transport.h"
#include "verdict/classifier.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::sim {

/// One run: hosts, network, cluster, masters and agents of one job, the faults that strike them,
/// and the checkers that watch. The cluster is a ClusterModel, or YARN behind the real YarnLink.
class FullWorld {
 public:
  explicit FullWorld(const SeedRun& options);
  ~FullWorld();
  FullWorld(const FullWorld&) = delete;
  FullWorld& operator=(const FullWorld&) = delete;

  SeedResult run();

 private:
  /// Looks for a master as agents of the local cluster do, or only looks up where it is.
  class Starter final : public cluster::MasterStarter {
   public:
    explicit Starter(FullWorld& world) : world_(world) {}
    Result<cluster::MasterSought> seek() override;

   private:
    FullWorld& world_;
  };

  // Parts and what they call.
  [[nodiscard]] ClusterModel::Around cluster_around();
  [[nodiscard]] YarnModel::Around yarn_around();
  [[nodiscard]] ProgramWorld program_world();
  [[nodiscard]] LogShadow::Handlers shadow_handlers();
  [[nodiscard]] MasterProcess::Around master_around();
  [[nodiscard]] master::MasterOptions master_options() const;
  [[nodiscard]] ProcessLoop::Pace pace_of(const std::string& host);
  [[nodiscard]] Duration travel();
  [[nodiscard]] std::set<std::string> reached() const;

  // Lines to the cluster.
  [[nodiscard]] std::unique_ptr<cluster::Link> open_link(MasterProcess& process);
  [[nodiscard]] std::unique_ptr<cluster::Link> open_yarn_link(MasterProcess& process);
  void given_back(const job::ContainerId& container, cluster::Confirm confirm);
  void left_link(const job::Outcome& outcome);

  // Masters.
  void start_master();
  void leave_yarn(const std::string& master);
  void master_over(MasterProcess* process, const master::MasterEnd& end);
  void master_dies(bool torn);
  void dismissed(const MasterProcess* process);
  void master_needed();
  void replace_master();
  void replaced_dies(MasterProcess* process);
  void master_ends_job(const MasterProcess& process);
  [[nodiscard]] MasterProcess* master_named(const std::string& name) const;
  void bury(std::unique_ptr<MasterProcess> process);

  // Containers.
  void start_agent(const cluster::LaunchOrder& order);
  void end_agent(const job::ContainerId& container, TrueEnd how);
  void wind_down(const job::ContainerId& container, Duration within);
  void agent_left(const job::ContainerId& container);
  void host_dies(const job::HostName& host);
  void silence(const job::ContainerId& container);
  void isolate(const job::ContainerId& container, Duration lasts);
  void hear_cluster(const job::Fact& fact);
  [[nodiscard]] bool agent_lives(const job::ContainerId& container) const;
  [[nodiscard]] std::vector<job::ContainerId> living_agents() const;

  // Faults.
  void disturb();
  void disturb_masters();
  void disturb_agents();
  void disturb_lines(const job::ContainerId& victim);
  void speak_falsely(const job::ContainerId& container);
  void cut(const job::ContainerId& container, Duration lasts, bool to_agent, bool to_master);
  void heal();

  // Judgement.
  void logged(const eventlog::Record& record, const job::Machine& machine);
  void applied(const eventlog::Record& record, std::span<const job::Action> actions,
               const job::Machine& machine);
  void program_started(const os::SpawnOptions& options);
  void program_died(const TrueAttempt& attempt);
  /// The first that says something decides; "" says nothing.
  void broken(std::string_view who, std::string what);
  void check_mirror();
  void check_end();

  SeedRun options_;
  World world_;
  std::string plan_json_;
  uint64_t job_seed_;
  job::Plan plan_;
  Faults faults_;
  bool agents_start_masters_;  ///< As on the local cluster; else the cluster does.
  ProcessLoop network_loop_;
  testing::MemoryNetwork network_;
  testing::MemoryTree tree_;
  std::set<uint16_t> ports_;
  ShellLog log_;
  LogDisk disk_;
  MasterPlace place_;
  Truth truth_;
  verdict::Classifier classifier_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  Probes probes_;
  Grants grants_;
  MirrorCheck mirror_;
  AgentWatch watch_;
  LogShadow shadow_;
  ProgramWorld programs_;
  Starter starter_;
  std::unique_ptr<ClusterModel> cluster_;  ///< One of these two.
  std::unique_ptr<YarnModel> yarn_;
  ClusterLink* line_ = nullptr;  ///< The newest master's to the ClusterModel.
  std::map<job::ContainerId, cluster::LaunchOrder> orders_;
  std::map<job::ContainerId, std::unique_ptr<AgentProcess>> agents_;
  std::vector<std::unique_ptr<Rogue>> rogues_;
  std::set<job::ContainerId> released_;
  std::map<std::string, Duration> wall_offsets_;
  std::map<job::Generation, std::string> views_;  ///< As the first program of each found it.
  std::unique_ptr<MasterProcess> master_;
  std::vector<std::unique_ptr<MasterProcess>> replaced_;  ///< Live on beside their successors.
  std::vector<std::unique_ptr<MasterProcess>> buried_;  ///< Dead, and one of their callbacks runs.
  uint64_t masters_ = 0;
  bool master_coming_ = false;
  std::string refused_;  ///< Why the last master could not begin.
  Time last_cluster_word_{};
  std::optional<job::Outcome> finished_;  ///< The link was left.
  bool over_ = false;                     ///< The last master has ended.
  std::string failure_;
};

}  // namespace muster::sim
