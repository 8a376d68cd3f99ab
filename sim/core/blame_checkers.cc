#include "sim/core/blame_checkers.h"

#include "sim/core/culprits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace muster::sim {
namespace {

/// Nobody whose end others caused is blamed, and nobody who failed on their own comes back free of
/// charge.
class TrueBlame final : public Checker {
 public:
  explicit TrueBlame(const job::Plan& plan) : plan_(plan), culprits_(plan) {}
  std::string_view name() const override { return "true blame"; }
  void replayed(Time now, const job::Fact& fact, std::span<const job::Action> actions,
                const job::Machine& machine) override {
    culprits_.heard(now, fact, actions, machine);
  }
  void finished(const job::Machine& machine, const Truth& truth) override {
    for (const auto& role : machine.state().tasks) {
      for (const job::Task& task : role) {
        for (const job::Attempt& attempt : task.attempts) {
          check({task.id, attempt.number}, attempt, task, truth);
        }
      }
    }
  }

 private:
  void check(job::AttemptId id, const job::Attempt& attempt, const job::Task& task,
             const Truth& truth) {
    const Guilt guilt = culprits_.of(id, truth);
    if (attempt.part == job::Part::Origin && guilt == Guilt::None) {
      fail(to_string(plan_, id) + " is blamed for an end that was somebody else's doing");
    }
    const bool came_back = attempt.number != task.attempts.back().number;
    if (came_back && attempt.part == job::Part::Victim && guilt == Guilt::Sure) {
      fail(to_string(plan_, id) + " failed by itself, and counts as a victim");
    }
  }

  const job::Plan& plan_;
  Culprits culprits_;
};

/// A job that failed names its first cause: an attempt that is to blame and was not tried again. It
/// names none if no attempt is the cause: the cluster refused for good, a deadline of the job or of
/// a role passed, or a role waited for another's success and nothing had failed there. A task that
/// got no container in time is named without a place, by the last attempt that it had.
class FirstCauseNamed final : public Checker {
 public:
  explicit FirstCauseNamed(const job::Plan& plan) : plan_(plan), culprits_(plan) {}
  std::string_view name() const override { return "first cause"; }
  void replayed(Time now, const job::Fact& fact, std::span<const job::Action> actions,
                const job::Machine& machine) override {
    culprits_.heard(now, fact, actions, machine);
    if (const auto* passed = std::get_if<job::DeadlinePassed>(&fact)) {
      const auto set = deadlines_.find(passed->deadline);
      if (set != deadlines_.end() && now >= set->second.at) {
        ++passed_[set->second.kind];
      }
    }
    for (const job::Action& action : actions) {
      if (const auto* set = std::get_if<job::SetDeadline>(&action)) {
        deadlines_.insert_or_assign(set->deadline, *set);
      }
    }
  }
  void finished(const job::Machine& machine, const Truth& truth) override {
    const std::optional<job::Outcome>& outcome = machine.state().outcome;
    if (!outcome || outcome->result != job::JobResult::Failed) {
      return;
    }
    if (outcome->class_name.empty() || outcome->message.empty()) {
      fail("the job failed, and its outcome does not say why");
    }
    if (outcome->first_cause) {
      check_cause(*outcome->first_cause, machine, truth);
    } else {
      check_without(*outcome, machine, truth);
    }
  }

 private:
  void check_cause(const job::FirstCause& cause, const job::Machine& machine, const Truth& truth) {
    if (cause.failure.class_name == "deadline.gather") {
      check_deadline(cause.failure.class_name);
      return;
    }
    const job::Attempt* known = machine.state().find_attempt(cause.attempt);
    if (known == nullptr) {
      fail("the first cause " + to_string(plan_, cause.attempt) + " was never tried");
      return;
    }
    if (machine.state().task(cause.attempt.task).attempts.back().number != cause.attempt.number) {
      fail("the first cause " + to_string(plan_, cause.attempt) + " was cured: it was tried again");
    }
    if (culprits_.of(cause.attempt, truth) == Guilt::None) {
      fail("the first cause " + to_string(plan_, cause.attempt) + " (" + cause.failure.class_name +
           ") is not to blame");
    }
    if (cause.container != known->container || cause.host != known->host) {
      fail("the first cause " + to_string(plan_, cause.attempt) + " is named at a wrong place");
    }
  }

  void check_without(const job::Outcome& outcome, const job::Machine& machine, const Truth& truth) {
    switch (outcome.reason) {
      case job::OutcomeReason::Refused:
        if (!truth.refused_for_good) {
          fail("the job was refused, and the cluster never refused for good");
        }
        return;
      case job::OutcomeReason::DeadlinePassed:
        check_deadline(outcome.class_name);
        return;
      case job::OutcomeReason::ProgramFailed:
        if (outcome.class_name == "after.unmet") {
          check_unmet(machine, truth);
          return;
        }
        break;
      case job::OutcomeReason::Completed:
      case job::OutcomeReason::ClusterFailed:
      case job::OutcomeReason::StoppedByUser:
        break;
    }
    fail("the job failed (" + outcome.class_name + ") and names no first cause");
  }

  void check_deadline(const std::string& class_name) {
    static const std::map<std::string, job::DeadlineKind, std::less<>> kKinds = {
        {"deadline.queue", job::DeadlineKind::Queue},
        {"deadline.gather", job::DeadlineKind::Gather},
        {"deadline.run", job::DeadlineKind::Run},
        {"deadline.group", job::DeadlineKind::Group}};
    const auto kind = kKinds.find(class_name);
    if (kind == kKinds.end()) {
      fail("the job failed by " + class_name + ", which is no deadline of a job, without a cause");
    } else if (passed_[kind->second] == 0) {
      fail("the job failed by " + class_name + ", and none has passed");
    }
  }

  // Only for a role in which nothing failed: otherwise that failure is the cause.
  void check_unmet(const job::Machine& machine, const Truth& truth) {
    for (const job::RolePlan& role : plan_.roles) {
      for (const job::After& after : role.after) {
        const auto& others = machine.state().tasks[after.role.value];
        const bool failed = std::ranges::any_of(others, [&](const job::Task& task) {
          return !task.attempts.empty() && task.state == job::TaskState::Failed &&
                 culprits_.of({task.id, task.attempts.back().number}, truth) == Guilt::Sure;
        });
        if (after.condition == spec::Condition::Succeeded && failed) {
          fail("the job failed because " + plan_.role(after.role).name +
               " did not succeed, and does not name what failed there");
        }
      }
    }
  }

  const job::Plan& plan_;
  Culprits culprits_;
  std::map<job::DeadlineId, job::SetDeadline> deadlines_;
  std::map<job::DeadlineKind, int> passed_;
};

}  // namespace

void add_blame_checkers(const job::Plan& plan, std::vector<std::unique_ptr<Checker>>& checkers) {
  checkers.push_back(std::make_unique<TrueBlame>(plan));
  checkers.push_back(std::make_unique<FirstCauseNamed>(plan));
}

}  // namespace muster::sim
