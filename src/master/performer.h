#pragma once

#include "cluster/link.h"
#include "job/action.h"
#include "master/agents.h"
#include "master/deadlines.h"
#include "master/liveness_driver.h"

#include <functional>

namespace muster::master {

/// Performs one action after the other by giving it to the class whose subject it is.
class Performer {
 public:
  struct Parts {
    cluster::Link& link;
    Agents& agents;
    Deadlines& deadlines;
    LivenessDriver& liveness;
    std::function<cluster::LaunchOrder(const job::ContainerId&)> launch_order;
    std::function<void()> reconcile;
    std::function<void(const job::Outcome&)> finish;
  };

  explicit Performer(Parts parts) : parts_(std::move(parts)) {}

  void perform(const job::Action& action);

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

  Parts parts_;
};

}  // namespace muster::master
