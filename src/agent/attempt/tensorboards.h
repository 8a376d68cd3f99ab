#pragma once

#include "agent/agent_deps.h"
#include "agent/attempt/attempt_observer.h"
#include "agent/attempt/task_run.h"
#include "agent/attempt/tensorboard_run.h"
#include "agent/attempt/watch_budget.h"
#include "agent/job_context.h"
#include "agent/output/output_feed.h"
#include "base/log.h"

#include <map>
#include <memory>
#include <string>

namespace muster::agent {

/// The TensorBoards beside this agent's attempts. Whatever happens to one, its attempt goes on.
class Tensorboards {
 public:
  Tensorboards(const AgentDeps& deps, const JobContext& job, OutputFeed& feed,
               AttemptObserver& observer, WatchBudget& close_looks);

  /// Starts one beside an attempt that is about to be started with `options`. `run` must live until
  /// end().
  void start(const TaskRun& run, const TaskRun::StartOptions& options);
  /// Ends the TensorBoard of the attempt, if it has one.
  void end(job::AttemptId id) { boards_.erase(id); }
  /// Publishes again all that answer: the master may have been away when they came up.
  void publish_all();
  /// Ends those that are over their memory.
  void watch_memory(const os::FamilyRound& round);

 private:
  [[nodiscard]] TensorboardRun::Options options_of(const TaskRun& run,
                                                   const TaskRun::StartOptions& task) const;
  void publish(job::AttemptId id);
  void say_ended(const TaskRun& run, const std::string& why);

  AgentDeps deps_;
  const JobContext& job_;
  OutputFeed& feed_;
  AttemptObserver& observer_;
  WatchBudget& close_looks_;
  log::Logger log_;
  std::map<job::AttemptId, std::unique_ptr<TensorboardRun>> boards_;
};

}  // namespace muster::agent
