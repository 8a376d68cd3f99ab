#include "sim/core/budget_oracle.h"

#include "sim/core/culprits.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <vector>

namespace muster::sim {
namespace {

/// Where the cure for an end begins.
/// Own: the program ended by its own choice, which may allow a retry only in its place.
enum class Cost : uint8_t { Own, Process, Container, Host, Infrastructure, Hopeless };

constexpr size_t kCosts = static_cast<size_t>(Cost::Hopeless) + 1;
/// Blame may settle, and charge a budget, up to this long after the attempt ended.
constexpr Duration kSettles = std::chrono::seconds(21);

Cost cost_of(const job::Exit& exit) {
  if (exit.succeeded()) {
    // Like a failure that is an agent's word about what never ran: the attempt has vanished.
    return Cost::Container;
  }
  if (!exit.failure) {
    return exit.exit_code ? Cost::Own : Cost::Process;
  }
  const job::Failure& failure = *exit.failure;
  if (failure.remedy == job::Remedy::GiveUp) {
    return Cost::Hopeless;
  }
  if (failure.kind == job::FailureKind::Infrastructure ||
      failure.kind == job::FailureKind::Stopped) {
    return Cost::Infrastructure;
  }
  if (failure.remedy == job::Remedy::Elsewhere) {
    return Cost::Host;
  }
  // Programs of this world that are killed report a signal, never a shell's code above 128.
  const bool own = exit.exit_code && (failure.kind == job::FailureKind::Program ||
                                      failure.kind == job::FailureKind::User);
  return own ? Cost::Own : Cost::Process;
}

/// Returns what it costs that `fact` took an attempt away without an exit.
Cost cost_of(const job::Fact& fact) {
  if (const auto* ended = std::get_if<job::ContainerEnded>(&fact)) {
    const bool taken = ended->kind == job::ContainerEndKind::HostLost ||
                       ended->kind == job::ContainerEndKind::Preempted ||
                       ended->kind == job::ContainerEndKind::Released;
    if (ended->kind == job::ContainerEndKind::LaunchFailed) {
      return Cost::Host;
    }
    return taken ? Cost::Infrastructure : Cost::Container;
  }
  if (const auto* lost = std::get_if<job::AgentLost>(&fact)) {
    return lost->reason == job::LossReason::Closed ? Cost::Container : Cost::Infrastructure;
  }
  if (std::holds_alternative<job::LaunchFailed>(fact)) {
    return Cost::Host;
  }
  if (std::holds_alternative<job::HostReported>(fact) ||
      std::holds_alternative<job::PreemptionNoticed>(fact)) {
    return Cost::Infrastructure;
  }
  return Cost::Container;
}

/// What one task was tried again for.
struct Tried {
  std::array<uint32_t, kCosts> by_cost{};
  [[nodiscard]] uint32_t of(Cost cost) const { return by_cost[static_cast<size_t>(cost)]; }
};

class BudgetOracle final : public Checker {
 public:
  explicit BudgetOracle(const job::Plan& plan) : plan_(plan), culprits_(plan) {}
  std::string_view name() const override { return "within budgets"; }

  void replayed(Time now, const job::Fact& fact, std::span<const job::Action> actions,
                const job::Machine& machine) override {
    culprits_.heard(now, fact, actions, machine);
    for (const job::Action& action : actions) {
      const auto* set = std::get_if<job::SetDeadline>(&action);
      if (set != nullptr && set->waits_for == "the whole job to start over") {
        start_overs_.push_back(now);
      }
    }
    const auto* notice = std::get_if<job::PreemptionNoticed>(&fact);
    if (notice != nullptr && !actions.empty()) {
      const job::Container& container = machine.state().containers.at(notice->container);
      if (!container.tasks.empty()) {
        notices_.push_back({container.tasks.front(), now, container.tasks.size() == 1});
      }
    }
  }
  void finished(const job::Machine& machine, const Truth& truth) override {
    for (const auto& role : machine.state().tasks) {
      for (const job::Task& task : role) {
        check_not_more(task, truth);
      }
    }
    check_not_less(machine, truth);
  }

 private:
  struct Notice {
    job::TaskId task;
    Time at{};
    bool sure = true;
  };
  struct Event {
    Time at{};
    Cost cost = Cost::Process;
  };

  [[nodiscard]] Cost cost_of_end(job::AttemptId attempt) const {
    if (const job::Exit* exit = culprits_.exit_of(attempt)) {
      return cost_of(*exit);
    }
    // An agent that cannot end what it was told to goes with its container, as if it were silent.
    return culprits_.outlived_its_stop(attempt) ? Cost::Infrastructure
                                                : cost_of(*culprits_.taken_by(attempt));
  }

  /// Returns what a task was tried again for: the ends of attempts that another one followed,
  /// either only those that are surely its own, or all that may be.
  std::vector<Event> tried_again(const job::Task& task, const Truth& truth, Guilt least) const {
    std::vector<Event> events;
    for (size_t i = 0; i + 1 < task.attempts.size(); ++i) {
      const job::AttemptId attempt{task.id, task.attempts[i].number};
      if (culprits_.of(attempt, truth) >= least) {
        events.push_back({task.attempts[i].ended, cost_of_end(attempt)});
      }
    }
    for (const Notice& notice : notices_) {
      if (notice.task == task.id && notice.sure) {
        events.push_back({notice.at, Cost::Infrastructure});
      }
    }
    std::ranges::sort(events, {}, &Event::at);
    return events;
  }

  void check_not_more(const job::Task& task, const Truth& truth) {
    const job::RestartBudget& budget = plan_.role(task.id.role).restart;
    const std::vector<Event> events = tried_again(task, truth, Guilt::Sure);
    const Duration span = budget.window ? *budget.window - kSettles : Duration::max();
    for (size_t first = 0; first < events.size(); ++first) {
      Tried tried;
      for (size_t i = first; i < events.size() && events[i].at - events[first].at < span; ++i) {
        ++tried.by_cost[static_cast<size_t>(events[i].cost)];
      }
      const auto allow = [&](uint32_t count, uint64_t allowed, std::string_view what) {
        // Every restart of the whole job covers one more end of each task.
        if (count > allowed + start_overs_.size()) {
          fail(to_string(plan_, task.id) + " was tried again " + std::to_string(count) +
               " times for " + std::string(what) + "; its budget has " + std::to_string(allowed));
        }
      };
      const uint32_t host = tried.of(Cost::Host);
      const uint32_t container = host + tried.of(Cost::Container);
      allow(tried.of(Cost::Hopeless), 0, "what cannot be cured");
      allow(tried.of(Cost::Infrastructure), budget.infrastructure, "the infrastructure");
      allow(host, budget.host, "its host");
      allow(container, budget.host + budget.container, "its container");
      allow(container + tried.of(Cost::Process) + tried.of(Cost::Own),
            budget.host + budget.container + budget.process, "its program");
      if (stays(budget)) {
        allow(tried.of(Cost::Own), budget.process, "what its program chose");
      }
      if (!budget.window) {
        break;
      }
    }
  }

  /// A job that fails has spent whatever could have cured its first cause. Checked only if the
  /// ladder is all there is: no role may fail alone, there is no window, and no restart of the job.
  void check_not_less(const job::Machine& machine, const Truth& truth) {
    const std::optional<job::Outcome>& outcome = machine.state().outcome;
    const bool failed = outcome && outcome->result == job::JobResult::Failed &&
                        outcome->first_cause &&
                        outcome->reason != job::OutcomeReason::DeadlinePassed;
    const bool plain = std::ranges::all_of(plan_.roles, [](const job::RolePlan& role) {
      return role.failure == spec::Failure::FailsJob && !role.restart.window &&
             role.restart.job == 0 && role.tasks_min == role.tasks;
    });
    if (!failed || !plain) {
      return;
    }
    const job::AttemptId cause = outcome->first_cause->attempt;
    const bool unsure = std::ranges::any_of(notices_, [](const Notice& n) { return !n.sure; });
    if (culprits_.of(cause, truth) == Guilt::None || unsure) {
      return;  // That it is named at all is checked elsewhere.
    }
    Tried tried;
    for (const Event& event :
         tried_again(machine.state().task(cause.task), truth, Guilt::Possible)) {
      ++tried.by_cost[static_cast<size_t>(event.cost)];
    }
    if (left_of(cost_of_end(cause), plan_.role(cause.task.role).restart, tried) > 0) {
      fail("the job failed by " + to_string(plan_, cause) + " before its restarts were spent");
    }
  }

  /// Returns whether a program that ends by itself is kept in its place; in this world both moves
  /// are open to it, or neither.
  static bool stays(const job::RestartBudget& budget) { return !budget.container_for_program; }

  static int64_t left_of(Cost cost, const job::RestartBudget& budget, const Tried& tried) {
    const int64_t process = tried.of(Cost::Process) + tried.of(Cost::Own);
    const int64_t over_process = std::max<int64_t>(0, process - budget.process);
    const int64_t container = over_process + tried.of(Cost::Container);
    const int64_t over_container = std::max<int64_t>(0, container - budget.container);
    const int64_t host_left =
        static_cast<int64_t>(budget.host) - over_container - tried.of(Cost::Host);
    const int64_t container_left =
        std::max<int64_t>(0, static_cast<int64_t>(budget.container) - container);
    const int64_t process_left =
        std::max<int64_t>(0, static_cast<int64_t>(budget.process) - process);
    switch (cost) {
      case Cost::Own:
        return process_left + (stays(budget) ? 0 : container_left + host_left);
      case Cost::Process:
        return process_left + container_left + host_left;
      case Cost::Container:
        return container_left + host_left;
      case Cost::Host:
        return host_left;
      case Cost::Infrastructure:
        return static_cast<int64_t>(budget.infrastructure) - tried.of(Cost::Infrastructure);
      case Cost::Hopeless:
        return 0;
    }
    return 0;
  }

  const job::Plan& plan_;
  Culprits culprits_;
  std::vector<Time> start_overs_;
  std::vector<Notice> notices_;
};

}  // namespace

std::unique_ptr<Checker> make_budget_oracle(const job::Plan& plan) {
  return std::make_unique<BudgetOracle>(plan);
}

}  // namespace muster::sim
