#pragma once

#include "agent/attempt/held_ports.h"
#include "agent/attempt/leftovers.h"
#include "agent/attempt/memory_guard.h"
#include "agent/attempt/process_family.h"
#include "agent/attempt/watch_budget.h"
#include "agent/output/output_feed.h"
#include "agent/output/output_log.h"
#include "agent/output/task_output.h"
#include "base/result.h"
#include "job/action.h"
#include "job/failure.h"
#include "job/view.h"
#include "os/host/cgroup.h"
#include "os/host/memory.h"
#include "os/host/ports.h"
#include "os/process/processes.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/running.h"
#include "rt/wait.h"
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

/// The mechanism of one attempt, from reservation to end: its ports, processes, output and memory
/// limit, each with a type of its own, and the order in which they begin and end. Lives on the
/// loop's thread; destroying it releases the ports and forgets the process, which must have ended.
class TaskRun {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    os::Processes& processes;
    os::Ports& ports;
    os::Meter& meter;
    WatchBudget& close_looks;
    Leftovers& leftovers;
    OutputFeed& feed;
    /// nullptr: memory limits are enforced by watching alone.
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
    bool merges_streams = false;      ///< As the key logs.merged: all output is standard output.
    uint64_t memory_limit_bytes = 0;  ///< 0 for none.
    std::string python;               ///< Its interpreter, for hints.
    bool release_ports = false;  ///< Just before exec, for a program that sets neither reuse flag.
  };
  /// How the process ended, as far as this host knows.
  struct Ended {
    os::Exit exit;
    uint64_t memory_peak_bytes = 0;
    MemoryGuard::Evidence memory;  ///< Where it ended for memory.
  };

  TaskRun(Deps deps, Names names);
  ~TaskRun();
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  /// Holds the attempt's ports.
  [[nodiscard]] Result<job::Address> reserve(const HeldPorts::Wanted& wanted) {
    return ports_.take(deps_.ports, wanted);
  }

  /// Starts the command. `ended` is called once, when the process and everything it left behind are
  /// gone. If the process ends on its own, what it left is killed; if it was asked to end, the rest
  /// get the same time to end, until kill().
  [[nodiscard]] Result<os::Pid> start(StartOptions options, std::function<void(Ended)> ended);

  /// As ProcessFamily::ask_to_end(). Also sends TERM to processes that moved to another group once
  /// nothing is left that could forward it.
  void ask_to_end(int signal);
  /// Sends KILL to everything the attempt started.
  void kill();

  /// Takes in the process of a session, which leads a session of its own: its memory counts towards
  /// the attempt, and it ends with the attempt.
  void admit(os::Pid guest);
  /// As ProcessFamily::dismiss().
  [[nodiscard]] bool dismiss(os::Pid guest) { return family_.dismiss(guest); }

  /// What all its processes use together.
  struct Use {
    std::vector<os::Pid> processes;
    uint64_t memory_bytes = 0;
    uint64_t memory_peak_bytes = 0;   ///< The largest that was seen.
    uint64_t memory_limit_bytes = 0;  ///< 0: there is none.
    os::Footprint print;
  };
  /// Measures memory; kills the attempt when it is over its limit. Returns nothing while no process
  /// runs.
  std::optional<Use> watch_memory(const os::FamilyRound& round);
  /// Returns whether memory is near its limit and has to be watched closely.
  [[nodiscard]] bool near_limit() const { return running_ && memory_->near_limit(); }

  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const job::Address& address() const { return ports_.address(); }
  [[nodiscard]] const ProcessFamily& family() const { return family_; }
  [[nodiscard]] bool running() const { return running_; }
  /// What the command was started with; empty before.
  [[nodiscard]] const std::map<std::string, std::string>& environment() const {
    return options_.environment;
  }
  /// Returns the program's current working folder if known, else where it started.
  [[nodiscard]] std::filesystem::path folder() const;
  /// The interpreter that start() was told of.
  [[nodiscard]] const std::string& python() const { return options_.python; }
  /// What it has written, of both streams.
  [[nodiscard]] uint64_t output_bytes() const { return output_ ? output_->size_bytes() : 0; }
  /// Returns a number that differs from the last one if the attempt has printed something new
  /// since.
  [[nodiscard]] uint64_t look_for_news() { return output_ ? output_->look_for_news() : 0; }
  /// nullptr before the start.
  [[nodiscard]] const OutputLog* output(wire::OutputStream stream) const {
    return output_ ? &output_->log(stream) : nullptr;
  }

 private:
  [[nodiscard]] Result<os::Pid> spawn();
  void on_exit(const os::Exit& exit);
  /// Waits for the process to end; returns when its end may be reported.
  rt::Async<> await_end();
  void finish();

  Deps deps_;
  Names names_;
  HeldPorts ports_;
  StartOptions options_;  ///< Since start().
  std::optional<TaskOutput> output_;
  std::optional<MemoryGuard> memory_;
  ProcessFamily family_;
  std::function<void(Ended)> ended_;
  bool running_ = false;  ///< The process or, while stopping, others of its family are alive.
  bool asked_ = false;    ///< To end.
  rt::Event killed_;
  rt::Running ending_;  ///< Last: it uses all of the above.
};

}  // namespace muster::agent
