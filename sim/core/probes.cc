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
    std::string_view("failed after a deadline"),
    std::string_view("failed with victims"),
    std::string_view("succeeded after a failure"),
    std::string_view("address kept on rejoin"),
};

}  // namespace

std::span<const std::string_view> Probes::all() { return kAll; }

void Probes::observe(const job::Fact& fact, std::span<const job::Action> actions,
                     const job::Machine& machine) {
  observe_grants(fact, actions);
  observe_state(fact, machine);
  for (const job::Action& action : actions) {
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
      if (outcome.result == job::JobResult::Succeeded && machine.state().generation.value > 1) {
        reach("succeeded after a failure");
      }
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

void Probes::observe_state(const job::Fact& fact, const job::Machine& machine) {
  const job::State& state = machine.state();
  if (state.generation > generation_) {
    generation_ = state.generation;
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
    (void)reported;
  } else if (std::holds_alternative<job::AgentSuspected>(fact)) {
    reach("agent suspected and back");
  } else if (const auto* lost = std::get_if<job::AgentLost>(&fact)) {
    if (lost->reason == job::LossReason::Silent) {
      reach("agent lost by silence");
    }
  } else if (std::holds_alternative<job::MasterRecovered>(fact) ||
             std::holds_alternative<job::StopAsked>(fact)) {
    const bool recovered = std::holds_alternative<job::MasterRecovered>(fact);
    switch (state.phase) {
      case job::JobPhase::Gathering:
        reach(recovered ? "recovered while gathering" : "stopped while gathering");
        break;
      case job::JobPhase::Running:
        reach(recovered ? "recovered while running" : "stopped while running");
        break;
      case job::JobPhase::Stopping:
      case job::JobPhase::Ended:
        reach(recovered ? "recovered while stopping" : "stopped while running");
        break;
    }
  }
}

}  // namespace muster::sim
