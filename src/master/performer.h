#pragma once

#include "cluster/link.h"
#include "job/action.h"
#include "master/agents/admission.h"
#include "master/agents/agent_supervisor.h"
#include "master/deadlines.h"
#include "master/decider.h"
#include "rt/loop.h"

#include <functional>

namespace muster::master {

/// Performs actions in order, by passing each to the class responsible for it.
class Performer {
 public:
  struct Deps {
    rt::Loop& loop;
    cluster::Link& link;
    Decider& decider;  ///< Told of passed deadlines.
    AgentSupervisor& agents;
    const Admission& admission;
  };
  using OnFinish = std::function<void(const job::Outcome& outcome)>;

  /// `on_finish`: the job has ended.
  Performer(const Deps& deps, OnFinish on_finish);

  void perform(const job::Action& action);
  /// Cancels all deadlines.
  void clear_deadlines() { deadlines_.clear_all(); }

 private:
  void on(const job::RequestContainer& action);
  void on(const job::CancelRequest& action);
  void on(const job::LaunchAgent& action);
  void on(const job::ReleaseContainer& action);
  void on(const job::PrepareAttempt& action);
  void on(const job::StartAttempt& action);
  void on(const job::StopAttempt& action);
  void on(const job::SetDeadline& action);
  void on(const job::ClearDeadline& action);
  void on(const job::Reconcile& action);
  void on(const job::Finish& action);

  Deps deps_;
  OnFinish on_finish_;
  Deadlines deadlines_;
};

}  // namespace muster::master
