#include "sim/core/budget_oracle.h"
#include "sim/core/checker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace muster::sim {
namespace {

/// Never two live attempts of a task in one generation; nobody is started twice.
class OneLiveAttempt final : public Checker {
 public:
  explicit OneLiveAttempt(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "one live attempt"; }
  void started(const TrueAttempt& attempt, const Truth& truth, const job::Machine&) override {
    for (const TrueAttempt& other : truth.attempts) {
      const bool same_task = other.id.task == attempt.id.task && other.id != attempt.id;
      if (same_task && !other.ended && other.generation == attempt.generation) {
        fail(to_string(plan_, attempt.id) + " starts while " + to_string(plan_, other.id) +
             " still runs in the same generation");
      }
    }
    if (!seen_.insert(attempt.id).second) {
      fail(to_string(plan_, attempt.id) + " is started a second time");
    }
  }

 private:
  const job::Plan& plan_;
  std::set<job::AttemptId> seen_;
};

/// Only the current generation commits.
class CommitFence final : public Checker {
 public:
  std::string_view name() const override { return "commit fence"; }
  void committed(job::AttemptId attempt, job::Generation started_in,
                 const job::Machine& machine) override {
    const job::Attempt* known = machine.state().find_attempt(attempt);
    const bool newest = known != nullptr &&
                        machine.state().task(attempt.task).attempts.back().number == attempt.number;
    if (!newest) {
      fail("a commit of an attempt that has a successor is granted");
    }
    if (started_in != machine.state().generation) {
      fail("a commit of another generation than the current one is granted");
    }
    if (known != nullptr && known->state == job::AttemptState::Ended) {
      fail("a commit of an ended attempt is granted");
    }
  }
};

/// At the end every container that the machine was told of is released. What it never heard of is
/// given back with its link.
class AllReleased final : public Checker {
 public:
  std::string_view name() const override { return "all released"; }
  void released(const job::Action& action) override {
    if (const auto* release = std::get_if<job::ReleaseContainer>(&action)) {
      given_back_.insert(release->container);
    }
  }
  void finished(const job::Machine& machine, const Truth& truth) override {
    if (machine.state().phase != job::JobPhase::Ended) {
      return;
    }
    for (const job::ContainerId& container : truth.live_containers) {
      const bool told = machine.state().containers.contains(container);
      if (told && !given_back_.contains(container)) {
        fail("the job has ended and container " + container.value + " was never given back");
      }
    }
  }

 private:
  std::set<job::ContainerId> given_back_;
};

/// The job's end absorbs: its outcome never changes, and nothing is started after it.
class EndAbsorbs final : public Checker {
 public:
  std::string_view name() const override { return "end absorbs"; }
  void applied(Time, const job::Fact&, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    const std::optional<job::Outcome>& outcome = machine.state().outcome;
    if (outcome_ && outcome != outcome_) {
      fail("a decided outcome has changed");
    }
    outcome_ = outcome;
    for (const job::Action& action : actions) {
      if (const auto* finish = std::get_if<job::Finish>(&action)) {
        if (!outcome || finish->outcome != *outcome) {
          fail("finish tells another outcome than the state");
        }
      }
      const bool begins = std::holds_alternative<job::RequestContainer>(action) ||
                          std::holds_alternative<job::LaunchAgent>(action) ||
                          std::holds_alternative<job::PrepareAttempt>(action) ||
                          std::holds_alternative<job::StartAttempt>(action);
      if (begins && outcome_) {
        fail(std::string(job::name_of(action)) + " after the outcome was decided");
      }
    }
  }
  void recovered(const job::Machine& machine) override { outcome_ = machine.state().outcome; }
  void released(const job::Action& action) override {
    const auto* finish = std::get_if<job::Finish>(&action);
    if (finish == nullptr) {
      return;
    }
    if (finished_ && *finished_ != finish->outcome) {
      fail("the job has finished twice, with different outcomes");
    }
    finished_ = finish->outcome;
  }

 private:
  std::optional<job::Outcome> outcome_;
  std::optional<job::Outcome> finished_;
};

/// One generation has one view; nobody starts before the barrier, and only members of the view do.
class OneView final : public Checker {
 public:
  explicit OneView(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "one view"; }
  void applied(Time, const job::Fact&, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    const job::View& view = machine.state().view;
    if (view.generation != machine.state().generation) {
      fail("the view is not that of the newest generation");
    }
    if (view.generation < newest_) {
      fail("the generation went back");
    }
    newest_ = std::max(newest_, view.generation);
    const auto [known, is_new] = views_.emplace(view.generation, view);
    if (is_new) {
      check_members(view, machine);
    }
    if (!is_new && known->second != view) {
      fail("generation " + std::to_string(view.generation.value) + " has a second view");
    }
    for (const job::Action& action : actions) {
      if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
        check_start(*start, machine);
      }
    }
  }
  void recovered(const job::Machine& machine) override {
    newest_ = machine.state().generation;
    views_.erase(views_.upper_bound(newest_), views_.end());
  }

 private:
  /// A new view lists each task once, with the attempt that lives.
  void check_members(const job::View& view, const job::Machine& machine) {
    for (size_t i = 0; i < view.members.size(); ++i) {
      const job::AttemptId id{view.members[i].task, view.members[i].attempt};
      if (i > 0 && !(view.members[i - 1].task < id.task)) {
        fail("a new view lists " + to_string(plan_, id.task) + " twice, or out of order");
      }
      const job::Attempt* attempt = machine.state().find_attempt(id);
      if (attempt == nullptr || attempt->state == job::AttemptState::Ended) {
        fail("a new view lists " + to_string(plan_, id) + ", which does not live");
      }
    }
  }
  void check_start(const job::StartAttempt& start, const job::Machine& machine) {
    const job::View& view = machine.state().view;
    if (start.generation > view.generation) {
      fail("a start names a generation that was not formed");
      return;
    }
    if (start.generation != view.generation) {
      return;
    }
    const auto is_member = [&](const job::Member& member) {
      return member.task == start.attempt.task && member.attempt == start.attempt.number;
    };
    if (std::ranges::none_of(view.members, is_member)) {
      fail(to_string(plan_, start.attempt) + " is started and not in the view of its generation");
    }
    if (plan_.barrier == spec::Barrier::Gang) {
      check_barrier(start, machine);
    }
  }
  /// With the gang barrier a starting task finds every member of its own role that the role needs.
  void check_barrier(const job::StartAttempt& start, const job::Machine& machine) {
    const job::RolePlan& role = plan_.role(start.attempt.task.role);
    const auto members = static_cast<uint32_t>(std::ranges::count_if(
        machine.state().view.members,
        [&](const job::Member& member) { return member.task.role == start.attempt.task.role; }));
    uint32_t over = 0;
    for (const job::Task& task : machine.state().tasks[start.attempt.task.role.value]) {
      over += task.state == job::TaskState::Succeeded || task.state == job::TaskState::Failed ||
                      task.state == job::TaskState::Stopped
                  ? 1U
                  : 0U;
    }
    const bool coupled = role.membership == spec::Membership::Static;
    if (coupled && members + over < role.tasks_min) {
      fail(to_string(plan_, start.attempt) + " is started before its gang is complete");
    }
  }

  const job::Plan& plan_;
  job::Generation newest_;
  std::map<job::Generation, job::View> views_;
};

/// The verdict equals what really happened: success only of what succeeded, a stop only if one was
/// asked, and the first cause is an end that nobody else caused.
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
                            plan.membership != spec::Membership::Elastic && !plan.deadline_after;
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
    if (cause.exit_code && lived != truth.newest.end()) {
      const job::Exit& exit = truth.attempts[lived->second].exit;
      if (exit.exit_code != cause.exit_code || !told_alike(exit, cause)) {
        fail("the first cause " + to_string(plan_, cause.attempt) + " is told with another end");
      }
    }
  }
  // The evidence is the agent's: output that a full disk lost stands there, too.
  static bool told_alike(const job::Exit& exit, const job::FirstCause& cause) {
    return exit.failure && exit.failure->class_name == cause.failure.class_name &&
           exit.failure->kind == cause.failure.kind && exit.failure->remedy == cause.failure.remedy;
  }
  /// A victim may only be blamed when the master did not hear of its origin in time.
  void check_lone_victim(job::AttemptId victim, const job::Machine& machine, const Truth& truth) {
    const auto origin = truth.caused_by.find(victim);
    if (origin == truth.caused_by.end()) {
      fail("the first cause " + to_string(plan_, victim) + " lost no peer");
      return;
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

/// A role's containers are asked for once what it waits for has come, not before.
class InOrder final : public Checker {
 public:
  explicit InOrder(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "in order"; }
  void replayed(Time, const job::Fact&, std::span<const job::Action> actions,
                const job::Machine& machine) override {
    for (const auto& role : machine.state().tasks) {
      for (const job::Task& task : role) {
        note(task);
      }
    }
    for (const job::Action& action : actions) {
      const auto* request = std::get_if<job::RequestContainer>(&action);
      if (request != nullptr && asked_.insert(request->role).second) {
        check(request->role, machine);
      }
    }
  }

 private:
  static bool ended(const job::Task& task) {
    return task.state == job::TaskState::Succeeded || task.state == job::TaskState::Failed ||
           task.state == job::TaskState::Stopped;
  }
  void note(const job::Task& task) {
    const bool ran = std::ranges::any_of(task.attempts, [](const job::Attempt& attempt) {
      return attempt.started != Time{} || (attempt.exit && attempt.generation.value != 0);
    });
    if (ran || ended(task)) {
      ran_.insert(task.id);
    }
  }
  void check(job::RoleIndex role, const job::Machine& machine) {
    for (const job::After& after : plan_.role(role).after) {
      const auto& others = machine.state().tasks[after.role.value];
      const auto ran = std::ranges::count_if(
          others, [&](const job::Task& task) { return ran_.contains(task.id); });
      const bool all_ended = std::ranges::all_of(others, ended);
      const bool met = after.condition == spec::Condition::Running
                           ? static_cast<uint64_t>(ran) >= plan_.role(after.role).tasks_min
                           : all_ended;
      if (!met) {
        fail(plan_.role(role).name + " is asked for before " + plan_.role(after.role).name +
             " has come that far");
      }
    }
  }

  const job::Plan& plan_;
  std::set<job::RoleIndex> asked_;
  std::set<job::TaskId> ran_;
};

/// Who has reported is suspected no more: suspects put off the blame and worry people.
class SuspicionEnds final : public Checker {
 public:
  std::string_view name() const override { return "suspicion ends"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action>,
               const job::Machine& machine) override {
    const auto* reported = std::get_if<job::AgentReported>(&fact);
    if (reported == nullptr || machine.state().phase == job::JobPhase::Ended) {
      return;
    }
    const auto container = machine.state().containers.find(reported->container);
    if (container != machine.state().containers.end() && container->second.suspected) {
      fail("the agent of " + reported->container.value + " has reported and stays a suspect");
    }
  }
};

}  // namespace

std::vector<std::unique_ptr<Checker>> make_checkers(const job::Plan& plan) {
  std::vector<std::unique_ptr<Checker>> checkers;
  checkers.push_back(std::make_unique<OneLiveAttempt>(plan));
  checkers.push_back(std::make_unique<CommitFence>());
  checkers.push_back(std::make_unique<AllReleased>());
  checkers.push_back(std::make_unique<EndAbsorbs>());
  checkers.push_back(std::make_unique<OneView>(plan));
  checkers.push_back(make_budget_oracle(plan));
  checkers.push_back(std::make_unique<TrueVerdict>(plan));
  checkers.push_back(std::make_unique<InOrder>(plan));
  checkers.push_back(std::make_unique<SuspicionEnds>());
  return checkers;
}

}  // namespace muster::sim
