#pragma once

#include "agent/leftovers.h"
#include "agent/output_feed.h"
#include "agent/output_log.h"
#include "agent/stall_watch.h"
#include "base/result.h"
#include "job/action.h"
#include "job/failure.h"
#include "job/view.h"
#include "os/cgroup.h"
#include "os/memory.h"
#include "os/ports.h"
#include "os/processes.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

/// One attempt's mechanism, from its reservation to its end: ports, process, output, memory watch.
/// Lives on the loop's thread; destroying it lets the ports go and forgets the process, which must
/// have ended.
class TaskRun {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    os::Processes& processes;
    os::Ports& ports;
    os::Meter& meter;
    Leftovers& leftovers;
    OutputFeed& feed;
    /// nullptr: memory limits are kept by watching alone.
    std::shared_ptr<os::Cgroups> cgroups = nullptr;
  };
  struct Names {
    job::AttemptId attempt;
    AttemptMark mark;
    std::filesystem::path work_folder;
    std::filesystem::path log_stem;  ///< "logs/worker-3.1"; ".stdout" and ".stderr" are added.
  };
  struct StartOptions {
    std::string command;
    std::map<std::string, std::string> environment;
    Rotation rotation;
    uint64_t memory_limit_bytes = 0;  ///< 0 for none.
    std::string python;               ///< Its interpreter, for hints.
    bool release_ports = false;  ///< Just before exec, for a program that sets neither reuse flag.
  };
  /// How the process ended, as far as this host knows.
  struct Ended {
    os::Exit exit;
    bool over_memory = false;
    uint64_t memory_peak_bytes = 0;
    std::string memory_evidence;  ///< With numbers, when over_memory.
  };

  TaskRun(Deps deps, Names names);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  /// Holds the attempt's ports on `host`: `keep_port` if not 0 (AlreadyExists if it is taken), else
  /// any, and one for each name.
  [[nodiscard]] Result<job::Address> reserve(const std::string& host, uint16_t keep_port,
                                             const std::vector<std::string>& port_names);

  /// Starts the command. `ended` is called once, when the process and all it left behind are gone:
  /// what is left when the process ends by itself is killed; when it was asked to end, the others
  /// have the same time to end, until kill().
  [[nodiscard]] Result<os::Pid> start(StartOptions options, std::function<void(Ended)> ended);

  /// TERM to the process group (and CONT, so that a stopped one can hear it); to those who moved to
  /// another group when nobody is left who could tell them.
  void ask_to_end();
  /// KILL to everything the attempt started.
  void kill();

  /// Measures memory; kills the attempt when it is over its limit. Returns nothing while no process
  /// runs.
  std::optional<wire::Sample> watch_memory();
  /// Looks at what watch_memory() has just measured: for how long the attempt has stalled, once
  /// each time that it does.
  [[nodiscard]] std::optional<Duration> look_for_stall(const wire::Sample& sample);
  /// Tells that the memory is near its limit and wants to be watched closely.
  [[nodiscard]] bool near_limit() const;

  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const job::Address& address() const { return address_; }
  [[nodiscard]] bool running() const { return running_; }
  /// The interpreter that start() was told of.
  [[nodiscard]] const std::string& python() const { return python_; }
  [[nodiscard]] const OutputLog* output(wire::OutputStream stream) const;

 private:
  void on_output(os::Stream stream, std::string_view bytes);
  void on_exit(const os::Exit& exit);
  void wait_for_family();
  [[nodiscard]] std::vector<os::Pid> family();
  void guard_memory();
  void on_guarded(std::shared_ptr<os::Cgroup> guard);
  void guard_all(const std::vector<os::Pid>& members);
  [[nodiscard]] std::string killed_at_limit() const;
  [[nodiscard]] std::string kernel_kill(const Ended& ended) const;
  void finish();

  Deps deps_;
  Names names_;
  job::Address address_;
  std::vector<std::unique_ptr<os::HeldPort>> held_;
  std::optional<OutputLog> stdout_log_, stderr_log_;
  std::function<void(Ended)> ended_;
  std::string python_;
  os::Pid pid_;
  bool running_ = false;  ///< The process or, while it is stopped, others of its family live.
  bool asked_ = false;
  bool killed_ = false;
  bool family_gone_ = false;      ///< Its process group's number may be somebody else's by now.
  std::optional<os::Exit> exit_;  ///< Of the process itself.
  rt::TimerId look_timer_{};
  Duration look_period_{};
  uint64_t limit_bytes_ = 0;
  std::shared_ptr<os::Cgroup> guard_;  ///< nullptr where no control group is delegated.
  bool guarding_ = false;              ///< The process is being moved into its control group.
  std::optional<os::Exit> early_;      ///< It failed meanwhile; the group may know why.
  bool guards_all_ = false;            ///< Also those that were forked before it had the first.
  uint64_t used_bytes_ = 0;
  uint64_t peak_bytes_ = 0;
  StallWatch stall_;
  uint64_t oom_kills_before_ = 0;
  std::string over_memory_;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);  ///< For callbacks.
};

}  // namespace muster::agent
