#include "sim/core/duty_checkers.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace muster::sim {
namespace {

/// A request to stop a job is heard at once, whatever the job is doing.
class StopHeard final : public Checker {
 public:
  std::string_view name() const override { return "stop heard"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action>,
               const job::Machine& machine) override {
    const job::JobPhase phase = machine.state().phase;
    if (std::holds_alternative<job::StopAsked>(fact) && phase != job::JobPhase::Stopping &&
        phase != job::JobPhase::Ended) {
      fail("somebody asked to stop, and the job is still " + std::string(to_string(phase)));
    }
  }
};

/// What is granted after the end goes back at once.
class NothingKept final : public Checker {
 public:
  std::string_view name() const override { return "nothing kept"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    const auto* granted = std::get_if<job::ContainerGranted>(&fact);
    if (granted == nullptr || machine.state().phase != job::JobPhase::Ended) {
      return;
    }
    const bool released = std::ranges::any_of(actions, [&](const job::Action& action) {
      const auto* release = std::get_if<job::ReleaseContainer>(&action);
      return release != nullptr && release->container == granted->container;
    });
    if (!released) {
      fail("the job has ended, and " + granted->container.value + " is kept");
    }
  }
};

/// The end comes when all containers are gone, or when the time allowed for that has passed.
class FinishLast final : public Checker {
 public:
  std::string_view name() const override { return "finish last"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    const bool finishes = std::ranges::any_of(actions, [](const job::Action& action) {
      return std::holds_alternative<job::Finish>(action);
    });
    const bool may_leave_some = std::holds_alternative<job::DeadlinePassed>(fact) || ended_;
    ended_ = machine.state().phase == job::JobPhase::Ended;
    if (!finishes || may_leave_some) {
      return;
    }
    for (const auto& [id, container] : machine.state().containers) {
      if (container.state != job::ContainerState::Gone) {
        fail("the job ends, and container " + id.value + " is still there");
      }
    }
  }
  void recovered(const job::Machine& machine) override {
    ended_ = machine.state().phase == job::JobPhase::Ended;
  }

 private:
  bool ended_ = false;
};

/// An attempt that an agent reports, and that the machine does not know there, is told to stop, or
/// its container is released; and its number is never given to another attempt.
class UnknownAttempts final : public Checker {
 public:
  explicit UnknownAttempts(const job::Plan& plan) : plan_(plan) {}
  std::string_view name() const override { return "unknown_attempts"; }
  void applied(Time, const job::Fact& fact, std::span<const job::Action> actions,
               const job::Machine& machine) override {
    if (const auto* reported = std::get_if<job::AgentReported>(&fact)) {
      for (const job::AttemptReport& report : reported->attempts) {
        meet(report, reported->container, actions, machine);
      }
    }
    for (const job::Action& action : actions) {
      if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
        const auto taken = taken_.find(prepare->attempt.task);
        if (taken != taken_.end() && taken->second.contains(prepare->attempt.number)) {
          fail(to_string(plan_, prepare->attempt) + " has a number that an agent knew already");
        }
      }
    }
  }
  // What earlier masters heard but did not log is known to nobody.
  void recovered(const job::Machine&) override { taken_.clear(); }

 private:
  void meet(const job::AttemptReport& report, const job::ContainerId& where,
            std::span<const job::Action> actions, const job::Machine& machine) {
    const job::TaskId task = report.attempt.task;
    const bool ours =
        task.role.value < plan_.roles.size() && task.index < plan_.role(task.role).tasks;
    if (!ours || machine.state().phase == job::JobPhase::Ended) {
      return;
    }
    const job::Attempt* known = machine.state().find_attempt(report.attempt);
    if (known == nullptr) {
      taken_[task].insert(report.attempt.number);
    }
    const bool unknown = known == nullptr || known->container != where;
    if (!unknown || report.phase == job::AttemptReport::Phase::Ended) {
      return;
    }
    const bool answered = std::ranges::any_of(actions, [&](const job::Action& action) {
      const auto* stop = std::get_if<job::StopAttempt>(&action);
      const auto* release = std::get_if<job::ReleaseContainer>(&action);
      return (stop != nullptr && stop->attempt == report.attempt && stop->container == where) ||
             (release != nullptr && release->container == where);
    });
    if (!answered) {
      fail(to_string(plan_, report.attempt) + " is left alone in " + where.value +
           ", where it has no business");
    }
  }

  const job::Plan& plan_;
  std::map<job::TaskId, std::set<uint32_t>> taken_;
};

}  // namespace

void add_duty_checkers(const job::Plan& plan, std::vector<std::unique_ptr<Checker>>& checkers) {
  checkers.push_back(std::make_unique<StopHeard>());
  checkers.push_back(std::make_unique<NothingKept>());
  checkers.push_back(std::make_unique<FinishLast>());
  checkers.push_back(std::make_unique<UnknownAttempts>(plan));
}

}  // namespace muster::sim
