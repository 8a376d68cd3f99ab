#include "sim/core/probes.h"

#include <array>

namespace muster::sim {
namespace {

constexpr std::array kAll = {
    std::string_view("late grant released"),
    std::string_view("second grant of one ask released"),
    std::string_view("ask refused for now"),
    std::string_view("ask refused for good"),
    std::string_view("launch failed"),
    std::string_view("restart in the same container"),
    std::string_view("restart in a new container"),
    std::string_view("host avoided"),
    std::string_view("second generation"),
    std::string_view("fifth generation"),
    std::string_view("task of a succeeded member runs again"),
    std::string_view("victim before its origin settled"),
    std::string_view("preemption told to a task"),
    std::string_view("recovered while gathering"),
    std::string_view("recovered while running"),
    std::string_view("recovered while stopping"),
    std::string_view("agent suspected and back"),
    std::string_view("agent lost by silence"),
    std::string_view("stale attempt stopped on report"),
    std::string_view("stopped while gathering"),
    std::string_view("stopped while running"),
    std::string_view("asked to stop while stopping"),
    std::string_view("the whole job starts over"),
    std::string_view("an elastic role goes on with fewer"),
    std::string_view("an elastic role grows"),
    std::string_view("a gang starts with fewer"),
    std::string_view("a gang grows"),
    std::string_view("a gang gives back what it holds"),
    std::string_view("a start is told again"),
    std::string_view("a preparation is told again"),
    std::string_view("several tasks in one container"),
    std::string_view("a later role is asked for"),
    std::string_view("a failure is tolerated"),
    std::string_view("failed after a deadline"),
    std::string_view("failed with victims"),
    std::string_view("succeeded after a failure"),
    std::string_view("address kept on rejoin"),
    std::string_view("a start waits for a lost container"),
    std::string_view("a lost container is never confirmed gone"),
};

}  // namespace

std::span<const std::string_view> Probes::all() { return kAll; }

void Probes::observe(const job::Fact& fact, std::span<const job::Action> actions,
                     const job::Machine& machine) {
  observe_grants(fact, actions);
  observe_state(fact, machine);
  for (const job::Action& action : actions) {
    observe_again(action);
    if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
      const job::Task& task = machine.state().task(prepare->attempt.task);
      if (prepare->keep_port != 0) {
        reach("address kept on rejoin");
      }
      if (succeeded_.contains(task.id)) {
        reach("task of a succeeded member runs again");
      }
      if (task.attempts.size() > 1) {
        const bool same = task.attempts[task.attempts.size() - 2].container == prepare->container;
        reach(same ? "restart in the same container" : "restart in a new container");
      }
    } else if (const auto* request = std::get_if<job::RequestContainer>(&action);
               request && !request->avoid.empty()) {
      reach("host avoided");
    } else if (const auto* stop = std::get_if<job::StopAttempt>(&action)) {
      if (stop->reason == job::StopReason::Preemption) {
        reach("preemption told to a task");
      }
      if (std::holds_alternative<job::AgentReported>(fact)) {
        reach("stale attempt stopped on report");
      }
    } else if (const auto* finish = std::get_if<job::Finish>(&action)) {
      const job::Outcome& outcome = finish->outcome;
      if (outcome.reason == job::OutcomeReason::DeadlinePassed) {
        reach("failed after a deadline");
      }
      if (outcome.first_cause && outcome.first_cause->victims > 0) {
        reach("failed with victims");
      }
      if (outcome.message.find("tolerated") != std::string::npos) {
        reach("a failure is tolerated");
      }
      if (outcome.result == job::JobResult::Succeeded &&
          machine.state().view.generation.value > 1) {
        reach("succeeded after a failure");
      }
    }
  }
}

void Probes::observe_again(const job::Action& action) {
  if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
    if (!started_.insert(start->attempt).second) {
      reach("a start is told again");
    }
  } else if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
    if (!prepared_.insert(prepare->attempt).second) {
      reach("a preparation is told again");
    }
    if (prepare->slot > 0) {
      reach("several tasks in one container");
    }
  } else if (const auto* stop = std::get_if<job::StopAttempt>(&action)) {
    if (stop->reason == job::StopReason::Shrink) {
      reach("an elastic role goes on with fewer");
    }
  } else if (const auto* set = std::get_if<job::SetDeadline>(&action)) {
    if (set->kind == job::DeadlineKind::Regather) {
      reach("a gang gives back what it holds");
    }
    if (set->waits_for == "the whole job to start over") {
      reach("the whole job starts over");
    }
  }
}

void Probes::observe_grants(const job::Fact& fact, std::span<const job::Action> actions) {
  for (const job::Action& action : actions) {
    if (const auto* cancel = std::get_if<job::CancelRequest>(&action)) {
      cancelled_.insert(cancel->request);
    }
  }
  if (const auto* granted = std::get_if<job::ContainerGranted>(&fact)) {
    bool released = false;
    for (const job::Action& action : actions) {
      const auto* release = std::get_if<job::ReleaseContainer>(&action);
      released = released || (release != nullptr && release->container == granted->container);
    }
    if (released && cancelled_.contains(granted->request)) {
      reach("late grant released");
    }
    if (released && granted_.contains(granted->request)) {
      reach("second grant of one ask released");
    }
    granted_.insert(granted->request);
  } else if (const auto* refused = std::get_if<job::RequestRefused>(&fact)) {
    reach(refused->kind == job::RefusalKind::Transient ? "ask refused for now"
                                                       : "ask refused for good");
  } else if (std::holds_alternative<job::LaunchFailed>(fact)) {
    reach("launch failed");
  }
}

void Probes::observe_gangs(const job::Machine& machine) {
  std::map<job::RoleIndex, uint32_t> members;
  for (const job::Member& member : machine.state().view.members) {
    ++members[member.task.role];
  }
  for (const auto& [index, count] : members) {
    const job::RolePlan& role = machine.plan().role(index);
    if (role.membership != spec::Membership::Static || role.tasks_min == role.tasks) {
      continue;
    }
    if (count < role.tasks) {
      reach("a gang starts with fewer");
    }
    uint32_t& before = gangs_[index];
    if (before != 0 && count > before) {
      reach("a gang grows");
    }
    before = count;
  }
}

void Probes::observe_state(const job::Fact& fact, const job::Machine& machine) {
  const job::State& state = machine.state();
  if (state.view.generation > generation_) {
    for (const job::Member& member : state.view.members) {
      const job::RolePlan& role = machine.plan().role(member.task.role);
      if (role.membership == spec::Membership::Elastic && generation_.value > 0 &&
          member.attempt == 1 && !started_.contains({member.task, 2}) &&
          role.tasks > role.tasks_min) {
        reach("an elastic role grows");
      }
      if (!role.after.empty()) {
        reach("a later role is asked for");
      }
    }
    observe_gangs(machine);
    generation_ = state.view.generation;
    if (generation_.value >= 2) {
      reach("second generation");
    }
    if (generation_.value >= 5) {
      reach("fifth generation");
    }
  }
  if (const auto* ended = std::get_if<job::AttemptEnded>(&fact)) {
    if (ended->exit.succeeded()) {
      succeeded_.insert(ended->attempt.task);
    } else if (ended->exit.failure && ended->exit.failure->kind == job::FailureKind::PeerLoss) {
      const job::Attempt* attempt = state.find_attempt(ended->attempt);
      if (attempt != nullptr && !attempt->part) {
        reach("victim before its origin settled");
      }
    }
  } else if (const auto* reported = std::get_if<job::AgentReported>(&fact)) {
    if (suspected_.erase(reported->container) > 0) {
      reach("agent suspected and back");
    }
  } else if (const auto* suspected = std::get_if<job::AgentSuspected>(&fact)) {
    suspected_.insert(suspected->container);
  } else if (const auto* lost = std::get_if<job::AgentLost>(&fact)) {
    if (lost->reason == job::LossReason::Silent) {
      reach("agent lost by silence");
    }
  } else if (std::holds_alternative<job::MasterRecovered>(fact) ||
             std::holds_alternative<job::StopAsked>(fact)) {
    const bool recovered = std::holds_alternative<job::MasterRecovered>(fact);
    switch (phase_) {
      case job::JobPhase::Gathering:
        reach(recovered ? "recovered while gathering" : "stopped while gathering");
        break;
      case job::JobPhase::Running:
        reach(recovered ? "recovered while running" : "stopped while running");
        break;
      case job::JobPhase::Stopping:
      case job::JobPhase::Ended:
        reach(recovered ? "recovered while stopping" : "asked to stop while stopping");
        break;
    }
  }
  if (state.chronicle.waits_for().ends_with("which was lost")) {
    reach("a start waits for a lost container");
  }
  if (!state.chronicle.unconfirmed().empty()) {
    reach("a lost container is never confirmed gone");
  }
  phase_ = state.phase;
}

}  // namespace muster::sim
