#include "master/agents/agent_supervisor.h"

#include "master/agents/members.h"

#include <utility>
#include <variant>

namespace muster::master {
namespace {

/// The client has refused patterns that do not compile; a master does without them.
verdict::Classifier make_classifier(const job::Plan& plan, const log::Logger& log) {
  Result<verdict::Classifier> made = verdict::Classifier::make(plan.spec.rules);
  if (!made) {
    log.warning("rules.refused", {{"error", made.error().message}});
    made = verdict::Classifier::make({});
  }
  return *std::move(made);
}

/// Its container was asked to end; the cluster knows why.
bool ended_with_container(const job::AttemptEnded& ended) {
  return ended.exit.failure && ended.exit.failure->class_name == "container.terminated";
}

}  // namespace

AgentSupervisor::AgentSupervisor(const Deps& deps, Handlers handlers)
    : deps_(deps),
      log_(deps.master.sink),
      handlers_(std::move(handlers)),
      liveness_(deps.master.loop, deps.decider.machine().plan().liveness,
                {.verdict = [this](job::Fact verdict) { deps_.decider.enter(std::move(verdict)); },
                 .stalled =
                     [this](Duration late) {
                       log_.warning("master.stalled", {{"for", format_duration(late)}});
                       deps_.fence.check();
                     }}),
      classifier_(make_classifier(deps.decider.machine().plan(), log_)),
      ended_containers_(deps.master.loop, deps.decider.machine().plan().liveness.lost,
                        [this](job::Fact fact) { deps_.decider.enter(std::move(fact)); }),
      agents_({.loop = deps.master.loop,
               .log = log_,
               .admission = deps.admission,
               .decider = deps.decider,
               .fence = deps.fence},
              {.joined = [this](const wire::AgentHello& hello) { on_hello(hello); },
               .frame = [this](const job::ContainerId& container,
                               wire::AgentFrame& frame) { on_frame(container, frame); },
               .closed = [this](const job::ContainerId& container,
                                bool said_hello) { on_closed(container, said_hello); }}),
      grants_(deps.decider,
              [this](const job::ContainerId& container, const wire::CommitAnswered& answer) {
                agents_.send(container, answer);
              }),
      dialer_({.loop = deps.master.loop,
               .transport = deps.master.transport,
               .secret = deps.options.secret,
               .patience = deps.decider.machine().plan().liveness.lost},
              {.connected =
                   [this](std::unique_ptr<control::Channel> channel) {
                     on_dialled(std::move(channel));
                   },
               .unreachable =
                   [this](const job::ContainerId& container) { on_unreachable(container); }}) {}

void AgentSupervisor::container_ended(job::ContainerEnded ended) {
  liveness_.forget(ended.container);
  dialer_.forget(ended.container);
  const bool connected = agents_.connected(ended.container);
  if (ended.kind != job::ContainerEndKind::Released) {
    ended.failure = classifier_.judge_container(ended.cluster_code, ended.diagnostics);
  }
  ended_containers_.ended(std::move(ended), connected);
}

void AgentSupervisor::call_agents() {
  for (const auto& [id, container] : state().containers) {
    call(container);
  }
}

void AgentSupervisor::call(const job::Container& container) {
  const bool has_agent = container.state == job::ContainerState::Ready ||
                         container.state == job::ContainerState::Draining;
  if (has_agent && !container.agent_address.empty() && !agents_.connected(container.id)) {
    dialer_.call(container.id, container.agent_address);
  }
}

void AgentSupervisor::release(const job::ContainerId& container) {
  agents_.dismiss(container, "the container is released");
  liveness_.forget(container);
}

void AgentSupervisor::on_hello(const wire::AgentHello& hello) {
  const job::ContainerId& id = hello.report.container;
  dialer_.forget(id);
  handlers_.gone(id);  // Its streams ended with its previous connection.
  if (hello.version != deps_.options.version) {
    log_.warning("agent.other_version", {{"container", id.value}, {"version", hello.version}});
  }
  const job::Container* container = find_container(state(), id);
  if (container != nullptr && container->state != job::ContainerState::Gone) {
    liveness_.watch(id);
  }
  const bool new_here = container == nullptr || container->state == job::ContainerState::Granted ||
                        container->state == job::ContainerState::Launching;
  if (new_here) {
    deps_.decider.enter(job::AgentJoined{id, hello.report.address});
  }
  // An agent that had joined an earlier master, which could not log it, may already have attempts.
  if (!new_here || !hello.report.attempts.empty()) {
    deps_.decider.enter(hello.report);
  }
}

void AgentSupervisor::on_frame(const job::ContainerId& container, wire::AgentFrame& frame) {
  const bool was_suspected = liveness_.beat(container);
  // A report, which may be this very frame, ends the suspicion.
  if (was_suspected && !std::holds_alternative<wire::Report>(frame)) {
    agents_.send(container, wire::ReportAsked{});
  }
  std::visit([this, &container](auto& kind) { on(container, kind); }, frame);
}

void AgentSupervisor::on(const job::ContainerId& container, wire::Report& report) {
  liveness_.watch(container);
  deps_.decider.enter(std::move(report.report));
}

void AgentSupervisor::on(const job::ContainerId& container, wire::AgentFact& fact) {
  const job::AttemptId attempt = std::visit(
      [](const auto& kind) -> job::AttemptId {
        if constexpr (requires { kind.attempt; }) {
          return kind.attempt;
        } else {
          return {};
        }
      },
      fact.fact);
  if (!runs_there(state(), container, attempt)) {
    log_.warning("agent.fact_refused",
                 {{"container", container.value}, {"fact", job::name_of(fact.fact)}});
    return;
  }
  if (auto* ended = std::get_if<job::AttemptEnded>(&fact.fact);
      ended != nullptr && ended_with_container(*ended)) {
    ended_containers_.ended_with(container, std::move(*ended));
    return;
  }
  deps_.decider.enter(std::move(fact.fact));
}

void AgentSupervisor::on(const job::ContainerId& container, const wire::CommitAsked& asked) {
  if (runs_there(state(), container, asked.attempt)) {
    grants_.asked(container, asked);
  }
}

void AgentSupervisor::on(const job::ContainerId& container, const wire::Output& output) {
  if (runs_there(state(), container, output.attempt)) {
    handlers_.output(output);
  }
}

/// From now on it is watched: an agent that was reached and then falls silent is lost like any
/// other.
void AgentSupervisor::on_dialled(std::unique_ptr<control::Channel> channel) {
  liveness_.watch(channel->peer().container);
  agents_.accept(std::move(channel), true);
}

void AgentSupervisor::on_closed(const job::ContainerId& container, bool said_hello) {
  if (deps_.decider.closed()) {
    return;
  }
  handlers_.gone(container);
  ended_containers_.drained(container);
  // The fact that says why it ended is still to come; until then it must not count as lost.
  const bool dead =
      deps_.master.link.known_dead(container) && !ended_containers_.waits_for(container);
  liveness_.closed(container, dead);
  if (const job::Container* known = find_container(state(), container);
      known != nullptr && !said_hello) {
    call(*known);
  }
  // Agents leave if there is a newer master.
  deps_.fence.check();
}

void AgentSupervisor::on_unreachable(const job::ContainerId& container) {
  const bool dead = deps_.master.link.known_dead(container);
  deps_.decider.enter(
      job::AgentLost{container, dead ? job::LossReason::Closed : job::LossReason::Unreachable});
}

}  // namespace muster::master
