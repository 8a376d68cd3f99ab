#pragma once

#include "agent/agent_deps.h"
#include "agent/attempt/attempt_observer.h"
#include "agent/attempt/endpoints.h"
#include "agent/attempt/preparation.h"
#include "agent/attempt/task_run.h"
#include "agent/attempt/tensorboards.h"
#include "agent/attempt/watch_budget.h"
#include "agent/checkpoint/checkpointer.h"
#include "agent/job_context.h"
#include "agent/output/output_feed.h"
#include "agent/program/programs.h"
#include "base/log.h"
#include "job/action.h"
#include "job/view.h"
#include "rt/async.h"
#include "rt/scope.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace muster::agent {

/// The attempts that this agent prepares and runs. This is mechanism only: the observer decides
/// what is done with which attempt, and when. Lives on the loop's thread; destroying it forgets
/// them all.
class Attempts {
 public:
  /// What it works with. All must outlive it.
  struct Deps {
    AgentDeps host;
    JobContext& job;
    OutputFeed& feed;
    AttemptObserver& observer;
    CommitAuthority& commits;
  };

  Attempts(Deps deps, Unpacker unpack);
  Attempts(const Attempts&) = delete;
  Attempts& operator=(const Attempts&) = delete;

  /// Prepares an attempt; observer: prepared() or prepare_failed(), never inside this call.
  void prepare(const job::PrepareAttempt& order);
  /// Makes preparations fail soon for those attempts that `unwanted` names.
  void give_up_preparing(const std::function<bool(job::AttemptId)>& unwanted);
  /// Starts a prepared attempt; observer: started() and later ended(), or start_failed().
  void start(job::AttemptId id, const job::View& view);
  /// Sends INT or TERM, as TaskRun::ask_to_end() does. Unknown attempts are ignored.
  void ask_to_end(job::AttemptId id, int signal);
  /// Sends KILL, as TaskRun::kill() does. Unknown attempts are ignored.
  void kill(job::AttemptId id);
  /// Forgets an attempt that was never started and frees its ports.
  void drop(job::AttemptId id);

  void commit_answered(const wire::CommitAnswered& answer) { checkpointer_.answered(answer); }
  /// Updates the view files: surviving tasks find the newest view there; their environment stays as
  /// it was.
  void rewrite_views(const job::View& view);
  /// Calls back for each attempt whose ports are held or whose process runs.
  void for_each_run(const std::function<void(TaskRun&)>& call);
  /// Returns an attempt whose ports are held or whose process runs; nullptr for any other.
  [[nodiscard]] TaskRun* find(job::AttemptId id) const;
  [[nodiscard]] Tensorboards& boards() { return boards_; }
  [[nodiscard]] Endpoints& endpoints() { return endpoints_; }
  /// What close looks at memory may cost, and have cost.
  [[nodiscard]] const WatchBudget& close_looks() const { return close_looks_; }

 private:
  struct Entry {
    std::stop_source stop;                   ///< Ends its preparation.
    std::optional<Preparation> preparation;  ///< Until it is started.
    std::unique_ptr<TaskRun> run;
  };

  [[nodiscard]] std::vector<os::Pid> processes_of(job::AttemptId id) const;
  rt::Async<> prepare_one(job::PrepareAttempt order);
  [[nodiscard]] Result<job::Address> reserve(Entry& entry, Preparation preparation);
  [[nodiscard]] Result<os::Pid> launch(Entry& entry, const job::View& view);
  void on_ended(job::AttemptId id, const TaskRun::Ended& ended);
  rt::Async<> end(job::AttemptId id, job::Exit exit);
  void tell_lost_output(const TaskRun& run, job::Exit& exit);
  void write_why(job::AttemptId id, const Error& error);
  [[nodiscard]] job::Failure failure_before_start(const Error& error);

  Deps deps_;
  log::Logger log_;
  Preparer preparer_;
  Checkpointer checkpointer_;
  std::map<job::TaskId, std::string> last_class_;  ///< Of the task's last end here.
  std::map<job::AttemptId, Entry> entries_;
  WatchBudget close_looks_;
  Tensorboards boards_;  ///< After the runs that they belong to.
  Endpoints endpoints_;
  Programs programs_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::agent
