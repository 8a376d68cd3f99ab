#include "base/overloaded.h"
#include "sim/core/account_checker.h"
#include "sim/core/blame_checkers.h"
#include "sim/core/budget_oracle.h"
#include "sim/core/checker.h"
#include "sim/core/duty_checkers.h"
#include "sim/core/verdict_checker.h"
#include "sim/core/view_checker.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <variant>

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

/// There are never two live attempts of a task, of whatever generations, as long as the cluster can
/// tell: the next one starts when the old container's end has been reported, or long after it was
/// given back. If a container was given back without asking for confirmation, its reported end
/// proves nothing: the cluster reports it at once. Counts from what was said and done, not from
/// what the machine believes.
class SuccessorWaits final : public Checker {
 public:
  explicit SuccessorWaits(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "successor waits"; }
  void applied(Time now, const job::Fact& fact, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    now_ = now;
    for (const job::Action& action : actions) {
      if (const auto* release = std::get_if<job::ReleaseContainer>(&action)) {
        given_back_.try_emplace(release->container, now);
      }
    }
    std::visit(
        Overloaded{[&](const job::ContainerEnded& ended) { take(ended); },
                   [&](const job::AttemptEnded& ended) { told_ended_.insert(ended.attempt); },
                   [&](const job::AgentReported& report) { take(report, machine); },
                   [&](const job::HostReported& host) { take(host, machine); }, [](const auto&) {}},
        fact);
  }
  void given_back(const job::ContainerId& container, cluster::Confirm confirm) override {
    confirms_.insert_or_assign(container, confirm);
  }
  void started(const TrueAttempt& attempt, const Truth& truth, const job::Machine&) override {
    for (const TrueAttempt& other : truth.attempts) {
      const bool beside = other.id.task == attempt.id.task && other.id != attempt.id &&
                          !other.ended && other.generation != attempt.generation;
      // The order to start the older one may have been under way for long.
      const TrueAttempt& old = other.id.number < attempt.id.number ? other : attempt;
      if (beside && !is_over(old)) {
        fail(to_string(plan_, attempt.id) + " starts while " + to_string(plan_, other.id) +
             " still runs, and nobody has confirmed that " + old.container.value + " is gone");
      }
    }
  }

 private:
  void take(const job::ContainerEnded& ended) {
    const auto asked = confirms_.find(ended.container);
    const bool unconfirmed = ended.kind == job::ContainerEndKind::Released &&
                             asked != confirms_.end() && asked->second == cluster::Confirm::No;
    if (!unconfirmed) {
      told_gone_.insert(ended.container);
    }
  }
  void take(const job::HostReported& host, const job::Machine& machine) {
    for (const auto& [id, container] : machine.state().containers) {
      if (host.health == job::HostHealth::Lost && container.host == host.host) {
        told_gone_.insert(id);
      }
    }
  }
  /// An attempt that its agent does not name, or reports as ended, is over as far as anybody could
  /// know.
  void take(const job::AgentReported& report, const job::Machine& machine) {
    const auto container = machine.state().containers.find(report.container);
    if (container == machine.state().containers.end()) {
      return;
    }
    for (const job::TaskId task : container->second.tasks) {
      for (const job::Attempt& each : machine.state().task(task).attempts) {
        const job::AttemptId id{task, each.number};
        const bool runs = std::ranges::any_of(report.attempts, [&](const job::AttemptReport& one) {
          return one.attempt == id && one.phase != job::AttemptReport::Phase::Ended;
        });
        if (each.container == report.container && !runs) {
          told_ended_.insert(id);
        }
      }
    }
  }
  [[nodiscard]] bool is_over(const TrueAttempt& old) const {
    constexpr Duration kLongAfter = std::chrono::seconds(10);
    const auto back = given_back_.find(old.container);
    return told_gone_.contains(old.container) || told_ended_.contains(old.id) ||
           (back != given_back_.end() && now_ - back->second >= kLongAfter);
  }

  const job::Plan& plan_;
  Time now_{};
  std::map<job::ContainerId, Time> given_back_;
  std::map<job::ContainerId, cluster::Confirm> confirms_;
  std::set<job::ContainerId> told_gone_;
  std::set<job::AttemptId> told_ended_;
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
    if (started_in != machine.state().view.generation) {
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

/// The job's end is final: its outcome never changes, and nothing is started after it.
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

/// A role's containers are requested once what it waits for has come, and not before.
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

/// An agent that has reported is no longer suspected: suspects put off the blame and worry people.
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

/// The machine's running counts equal a count of everything.
class TalliesHold final : public Checker {
 public:
  std::string_view name() const override { return "tallies"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action>,
               const job::Machine& machine) override {
    if (!machine.tallies_hold()) {
      fail("a tally is wrong after " + std::string(name_of(fact)));
    }
  }
};

}  // namespace

std::vector<std::unique_ptr<Checker>> make_checkers(const job::Plan& plan) {
  std::vector<std::unique_ptr<Checker>> checkers;
  checkers.push_back(std::make_unique<OneLiveAttempt>(plan));
  checkers.push_back(std::make_unique<SuccessorWaits>(plan));
  checkers.push_back(std::make_unique<CommitFence>());
  checkers.push_back(std::make_unique<AllReleased>());
  checkers.push_back(std::make_unique<EndAbsorbs>());
  checkers.push_back(make_view_checker(plan));
  checkers.push_back(make_budget_oracle(plan));
  checkers.push_back(make_verdict_checker(plan));
  checkers.push_back(std::make_unique<InOrder>(plan));
  checkers.push_back(std::make_unique<SuspicionEnds>());
  checkers.push_back(std::make_unique<TalliesHold>());
  checkers.push_back(make_account_checker(plan));
  add_blame_checkers(plan, checkers);
  add_duty_checkers(plan, checkers);
  return checkers;
}

}  // namespace muster::sim
