#pragma once

#include "agent/checkpointer.h"
#include "agent/leftovers.h"
#include "agent/machine.h"
#include "agent/master_line.h"
#include "agent/output_feed.h"
#include "agent/placement.h"
#include "agent/task_environment.h"
#include "agent/task_run.h"
#include "agent/tensorboard_run.h"
#include "base/log.h"
#include "base/result.h"
#include "cluster/agent_launch.h"
#include "cluster/job_folder.h"
#include "cluster/master_starter.h"
#include "control/transport.h"
#include "job/plan.h"
#include "os/files.h"
#include "os/memory.h"
#include "os/ports.h"
#include "os/processes.h"
#include "rt/loop.h"
#include "verdict/classifier.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace muster::agent {

/// MUSTER_VIEW_FILE, in the task's own folder.
inline constexpr const char* kViewFile = ".muster-view.json";

/// What an agent works with. All must outlive it.
struct AgentDeps {
  rt::Loop& loop;
  control::Transport& transport;
  os::Files& files;
  os::Processes& processes;
  os::Ports& ports;
  os::Meter& meter;
  Leftovers& leftovers;
  log::Sink& log;
  /// nullptr where a lost master comes back by other means.
  cluster::MasterStarter* starter = nullptr;
  /// nullptr: memory limits are kept by watching alone.
  std::shared_ptr<os::Cgroups> cgroups = nullptr;
  OpenCheckpointStore open_checkpoints = {};  ///< Empty: only folders are known.
};

/// What an agent must know about itself.
struct AgentIdentity {
  cluster::AgentLaunch launch;
  Variables inherited;  ///< The environment that tasks inherit.
  std::string host_name;
  std::string version;
  int32_t pid = 0;
};

/// The shell around Machine: turns frames, ends and timers into its inputs and performs its
/// effects. Lives on the loop's thread. It never blocks but for writing output to its files.
class Agent {
 public:
  Agent(AgentDeps deps, AgentIdentity identity, Unpacker unpack,
        std::function<void(std::string reason)> done);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Listens and dials. An error means that this agent is of no use.
  [[nodiscard]] Status start();
  /// Ends everything, tasks with at most `grace`, then calls `done`.
  void leave(Duration grace, std::string reason);

 private:
  struct Preparation;

  // Frames.
  [[nodiscard]] wire::AgentHello hello();
  bool on_welcome(const wire::MasterWelcome& welcome);
  [[nodiscard]] Status learn_plan(const wire::MasterWelcome& welcome);
  void on_frame(const wire::MasterFrame& frame);
  void rewrite_views(const job::View& view);
  void on_line_closed(const Error& reason);
  void seek_master();
  void follow(const wire::FollowOutput& order);

  // Effects.
  void perform(Effects effects);
  void perform_one(Effect& effect);
  void prepare(const job::PrepareAttempt& order);
  void finish_preparation(std::shared_ptr<Preparation> preparation);
  void start_attempt(job::AttemptId id, job::Generation generation);
  [[nodiscard]] Result<os::Pid> launch(TaskRun& run, const Preparation& preparation,
                                       job::Generation generation);
  void start_tensorboard(const TaskRun& run, const TaskRun::StartOptions& options);
  void publish_tensorboard(job::AttemptId id);
  void on_task_ended(job::AttemptId id, const TaskRun::Ended& ended);
  void tell_ended(job::AttemptId id, job::Exit exit);
  void tell_lost_output(const TaskRun& run, job::Exit& exit);
  void leave_word(job::AttemptId id, const Error& error);
  [[nodiscard]] job::Exit judge(job::AttemptId id, const TaskRun::Ended& ended, const TaskRun& run);
  void quit(const std::string& reason);
  void wait_for_farewell(const std::string& reason, HostTime latest);

  // Timers.
  void schedule();
  void beat();
  void watch_memory();

  [[nodiscard]] const job::RolePlan& role_of(job::AttemptId id) const;
  [[nodiscard]] std::string stem_of(job::AttemptId id) const;
  [[nodiscard]] std::filesystem::path host_folder() const;
  [[nodiscard]] bool on_yarn() const;
  [[nodiscard]] static std::filesystem::path commit_folder(const Preparation& preparation);
  void write_outcome(const std::string& reason);

  AgentDeps deps_;
  AgentIdentity identity_;
  Unpacker unpack_;
  std::function<void(std::string)> done_;
  log::Logger log_;
  cluster::JobFolder folder_;
  std::optional<job::Plan> plan_;
  std::optional<verdict::Classifier> classifier_;
  Variables secrets_;
  std::optional<std::string> class_path_;  ///< Of this host's Hadoop, once asked for.
  std::optional<Machine> machine_;
  OutputFeed feed_;
  Checkpointer checkpointer_;
  std::map<job::AttemptId, std::shared_ptr<Preparation>> preparations_;
  std::map<job::TaskId, std::string> last_class_;  ///< Of the task's last end here.
  std::map<job::AttemptId, std::unique_ptr<TaskRun>> runs_;
  std::map<job::AttemptId, std::unique_ptr<TensorboardRun>> boards_;
  std::unique_ptr<MasterLine> line_;  // After what its callbacks use; destroyed first.
  rt::TimerId due_timer_{}, beat_timer_{}, watch_timer_{};
  std::map<job::AttemptId, wire::Sample> samples_;  ///< The last measurement.
  uint64_t beats_ = 0;
  bool greeted_ = false;
  Duration seek_back_off_{};
  rt::TimerId seek_timer_{};
};

}  // namespace muster::agent
