// What comes in from agents, clients and the cluster, and how the parts of a Reign hear of each
// other.
#include "master/reign.h"

#include <algorithm>
#include <utility>

namespace muster::master {

void Reign::on_link_fact(job::Fact fact) {
  auto* ended = std::get_if<job::ContainerEnded>(&fact);
  if (ended == nullptr) {
    decider_.enter(std::move(fact));
    return;
  }
  liveness_.forget(ended->container);
  dialer_.forget(ended->container);
  const bool connected = agents_.connected(ended->container);
  ended_containers_.ended(std::move(*ended), connected);
}

void Reign::on_channel(std::unique_ptr<control::Channel> channel) {
  if (over_) {
    return;
  }
  switch (channel->peer().kind) {
    case control::Peer::Kind::Agent:
      agents_.accept(std::move(channel), false);
      return;
    case control::Peer::Kind::Owner:
    case control::Peer::Kind::Viewer:
      clients_.accept(std::move(channel));
      return;
    case control::Peer::Kind::Master:
      return;
  }
}

void Reign::on_agent(const wire::AgentHello& hello) {
  const job::ContainerId& id = hello.report.container;
  dialer_.forget(id);
  if (hello.version != options_.version) {
    log_.warning("agent.other_version", {{"container", id.value}, {"version", hello.version}});
  }
  const job::Container* container = find_container(id);
  if (container != nullptr && container->state != job::ContainerState::Gone) {
    liveness_.watch(id);
  }
  const bool new_here = container == nullptr || container->state == job::ContainerState::Granted ||
                        container->state == job::ContainerState::Launching;
  if (new_here) {
    decider_.enter(job::AgentJoined{id, hello.report.address});
  }
  // An agent that joined an earlier master, which could not log it, may have attempts already.
  if (!new_here || !hello.report.attempts.empty()) {
    decider_.enter(hello.report);
  }
}

void Reign::on_agent_frame(const job::ContainerId& container, wire::AgentFrame& frame) {
  const bool was_suspected = liveness_.beat(container);
  if (auto* report = std::get_if<wire::Report>(&frame)) {
    liveness_.watch(container);
    decider_.enter(std::move(report->report));
    return;
  }
  if (was_suspected) {
    agents_.send(container, wire::ReportAsked{});
  }
  if (auto* fact = std::get_if<wire::AgentFact>(&frame)) {
    on_agent_fact(container, std::move(fact->fact));
  } else if (const auto* asked = std::get_if<wire::CommitAsked>(&frame)) {
    if (runs_there(container, asked->attempt)) {
      grants_.asked(container, *asked);
    }
  } else if (const auto* output = std::get_if<wire::Output>(&frame)) {
    if (runs_there(container, output->attempt)) {
      early_output_.add(*output);
      clients_.output(*output);
      if (deps_.audience != nullptr) {
        deps_.audience->output(*output);
      }
    }
  }
}

void Reign::on_agent_fact(const job::ContainerId& container, job::Fact fact) {
  const job::AttemptId attempt = std::visit(
      [](const auto& kind) -> job::AttemptId {
        if constexpr (requires { kind.attempt; }) {
          return kind.attempt;
        } else {
          return {};
        }
      },
      fact);
  if (!runs_there(container, attempt)) {
    log_.warning("agent.fact_refused",
                 {{"container", container.value}, {"fact", job::name_of(fact)}});
    return;
  }
  decider_.enter(std::move(fact));
}

void Reign::set_follow() {
  // Enough for what a follower that came a moment too late has missed.
  constexpr uint32_t kTailLines = 1000;
  const bool on = clients_follow_output_ || audience_follows_output_ || early_output_.gathering();
  agents_.set_follow({on, on ? kTailLines : 0});
}

std::vector<wire::Output> Reign::take_early_output() {
  if (!early_output_.gathering()) {
    return {};
  }
  agents_.set_follow({false, 0});  // The last lines shall come, too: more may have been written.
  return early_output_.take();
}

void Reign::follow_output(bool on) {
  if (on && clients_follow_output_) {
    agents_.set_follow({false, 0});  // Agents send the last lines when following begins.
  }
  audience_follows_output_ = on;
  set_follow();
}

void Reign::tell_audience() {
  if (deps_.audience != nullptr) {
    deps_.audience->changed();
  }
}

/// From here on it is watched: one that was reached and then says nothing is lost like any other.
void Reign::on_agent_dialled(std::unique_ptr<control::Channel> channel) {
  liveness_.watch(channel->peer().container);
  agents_.accept(std::move(channel), true);
}

void Reign::on_agent_closed(const job::ContainerId& container, bool said_hello) {
  if (over_) {
    return;
  }
  ended_containers_.drained(container);
  liveness_.closed(container, deps_.link.known_dead(container));
  if (const job::Container* known = find_container(container); known != nullptr && !said_hello) {
    call_agent(*known);
  }
  // Agents leave for a newer master.
  check_fence();
}

void Reign::on_unreachable(const job::ContainerId& container) {
  const bool dead = deps_.link.known_dead(container);
  decider_.enter(
      job::AgentLost{container, dead ? job::LossReason::Closed : job::LossReason::Unreachable});
}

const job::Container* Reign::find_container(const job::ContainerId& container) const {
  const auto& containers = decider_.machine().state().containers;
  const auto found = containers.find(container);
  return found == containers.end() ? nullptr : &found->second;
}

bool Reign::runs_there(const job::ContainerId& container, job::AttemptId attempt) const {
  const job::State& state = decider_.machine().state();
  if (attempt.task.role.value >= state.tasks.size() ||
      attempt.task.index >= state.tasks[attempt.task.role.value].size()) {
    return false;
  }
  const job::Attempt* known = state.find_attempt(attempt);
  return known != nullptr && known->container == container;
}

Decider::Handlers Reign::decider_handlers() {
  return {.released = [this](const Decider::Released& released) { on_released(released); },
          .ahead = [this](const job::Action& action) { performer_.perform(action); },
          .log_changed =
              [this] {
                clients_.tell_status();
                tell_audience();
              },
          .make_room = [this] { deps_.place.free_room(); },
          .check_fence = [this] { check_fence(); }};
}

Agents::Handlers Reign::agent_handlers() {
  return {.joined = [this](const wire::AgentHello& hello) { on_agent(hello); },
          .frame = [this](const job::ContainerId& container,
                          wire::AgentFrame& frame) { on_agent_frame(container, frame); },
          .closed = [this](const job::ContainerId& container,
                           bool said_hello) { on_agent_closed(container, said_hello); },
          .outranked = [this](job::Epoch by) { return outranked(by); },
          .welcome = [this] { return agent_welcome(); },
          .view = [this] { return decider_.view(); }};
}

Clients::Handlers Reign::client_handlers() {
  return {.welcome = [this] { return client_welcome(); },
          .stop = [this](const std::string& by) { stop(by); },
          .status = [this] { return status(); },
          .log_is_stuck = [this] { return !decider_.writer().trouble().empty(); },
          .follow_output =
              [this](bool on) {
                clients_follow_output_ = on;
                set_follow();
              },
          .missed_output = [this] { return take_early_output(); },
          .left = [this] { ending_.client_left(); }};
}

Ending::Steps Reign::ending_steps() {
  return {.write_summary = [this] { write_summary(); },
          .tell_clients = [this](const job::Outcome& outcome) { clients_.end(outcome); },
          .dismiss_agents = [this] { agents_.dismiss_all("the job has ended"); },
          .leave_cluster =
              [this](const job::Outcome& outcome, std::function<void()> done) {
                deps_.link.finish(outcome, std::move(done));
              },
          .clients_gone =
              [this] {
                return clients_.empty() && (clients_.had_follower() || !options_.followed) &&
                       (deps_.audience == nullptr || deps_.audience->served());
              },
          .over =
              [this](const job::Outcome& outcome) {
                log_.info("master.over", {{"result", to_string(outcome.result)}});
                end({MasterEnd::Kind::JobEnded, outcome});
              }};
}

Performer::Parts Reign::performer_parts() {
  return {.link = deps_.link,
          .agents = agents_,
          .deadlines = deadlines_,
          .liveness = liveness_,
          .launch_order = [this](const job::ContainerId& id) { return launch_order(id); },
          .reconcile = [this] { reconcile(); },
          .finish = [this](const job::Outcome& outcome) { ending_.begin(outcome); }};
}

}  // namespace muster::master
