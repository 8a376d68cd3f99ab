#include "sim/core/verdict_checker.h"

#include <algorithm>
#include <optional>
#include <string>

namespace muster::sim {
namespace {

/// The verdict equals what really happened: only what succeeded counts as a success, a job counts
/// as stopped only if someone asked for it, and the first cause is an end that nobody else caused.
class TrueVerdict final : public Checker {
 public:
  explicit TrueVerdict(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "true verdict"; }
  void finished(const job::Machine& machine, const Truth& truth) override {
    const std::optional<job::Outcome>& outcome = machine.state().outcome;
    if (!outcome) {
      return;
    }
    switch (outcome->result) {
      case job::JobResult::Succeeded:
        check_success(machine, truth);
        break;
      case job::JobResult::Stopped:
        if (!truth.stop_asked) {
          fail("stopped, and nobody asked");
        }
        break;
      case job::JobResult::Failed:
        check_failure(*outcome, machine, truth);
        break;
    }
  }

 private:
  static bool really_succeeded(const Truth& truth, job::TaskId task) {
    return std::ranges::any_of(truth.attempts, [&](const TrueAttempt& attempt) {
      return attempt.id.task == task && attempt.ended && attempt.end == TrueEnd::Success;
    });
  }
  void check_success(const job::Machine& machine, const Truth& truth) {
    const bool ended_by_one = std::ranges::any_of(machine.state().tasks, [&](const auto& role) {
      return std::ranges::any_of(role, [&](const job::Task& task) {
        return plan_.role(task.id.role).success == spec::Success::EndsJob &&
               really_succeeded(truth, task.id);
      });
    });
    if (ended_by_one) {
      return;
    }
    for (const auto& role : machine.state().tasks) {
      for (const job::Task& task : role) {
        if (task.state == job::TaskState::Succeeded && !really_succeeded(truth, task.id)) {
          fail(to_string(plan_, task.id) + " counts as succeeded and never did");
        }
        const job::RolePlan& plan = plan_.role(task.id.role);
        const bool needed = plan.success == spec::Success::Required &&
                            plan.failure == spec::Failure::FailsJob &&
                            plan.tasks_min == plan.tasks && !plan.deadline_after;
        if (needed && !really_succeeded(truth, task.id)) {
          fail("the job succeeded without " + to_string(plan_, task.id));
        }
      }
    }
  }
  void check_failure(const job::Outcome& outcome, const job::Machine& machine, const Truth& truth) {
    if (outcome.reason == job::OutcomeReason::Refused && !truth.refused_for_good) {
      fail("refused, and the cluster never refused for good");
    }
    if (!outcome.first_cause) {
      return;
    }
    const job::FirstCause& cause = *outcome.first_cause;
    if (cause.failure.kind == job::FailureKind::PeerLoss) {
      check_lone_victim(cause.attempt, machine, truth);
      return;
    }
    const bool by_attempt = truth.origins.contains(cause.attempt);
    const bool by_container = truth.origin_containers.contains(cause.container);
    if (!by_attempt && !by_container && outcome.reason != job::OutcomeReason::DeadlinePassed) {
      fail("the first cause " + to_string(plan_, cause.attempt) + " (" + cause.failure.class_name +
           ") was caused by somebody else");
    }
    const auto lived = truth.newest.find(cause.attempt);
    // Otherwise the code is that of the container's first process.
    const job::Attempt* known = machine.state().find_attempt(cause.attempt);
    if (known != nullptr && known->exit && cause.exit_code && lived != truth.newest.end()) {
      const job::Exit& exit = truth.attempts[lived->second].exit;
      if (exit.exit_code != cause.exit_code || !told_alike(exit, cause)) {
        fail("the first cause " + to_string(plan_, cause.attempt) + " is told with another end");
      }
    }
  }
  // The evidence is the agent's, so it also includes output that a full disk lost.
  static bool told_alike(const job::Exit& exit, const job::FirstCause& cause) {
    return exit.failure && exit.failure->class_name == cause.failure.class_name &&
           exit.failure->kind == cause.failure.kind && exit.failure->remedy == cause.failure.remedy;
  }
  /// A victim may only be blamed when the master did not hear of its origin in time.
  void check_lone_victim(job::AttemptId victim, const job::Machine& machine, const Truth& truth) {
    if (truth.liars.contains(victim)) {
      return;  // Nobody could know better.
    }
    const auto origin = truth.caused_by.find(victim);
    if (origin == truth.caused_by.end()) {
      fail("the first cause " + to_string(plan_, victim) + " lost no peer");
      return;
    }
    if (truth.liars.contains(origin->second)) {
      return;  // It also passes for a victim.
    }
    const job::Attempt* known = machine.state().find_attempt(origin->second);
    const job::Attempt* fell = machine.state().find_attempt(victim);
    const bool heard = known != nullptr && fell != nullptr && known->part == job::Part::Origin &&
                       known->ended >= fell->ended &&
                       known->ended - fell->ended < plan_.liveness.lost;
    if (heard) {
      fail("the first cause " + to_string(plan_, victim) + " is a victim of " +
           to_string(plan_, origin->second));
    }
  }

  const job::Plan& plan_;
};

}  // namespace

std::unique_ptr<Checker> make_verdict_checker(const job::Plan& plan) {
  return std::make_unique<TrueVerdict>(plan);
}

}  // namespace muster::sim
