#include "sim/full/agents.h"

#include <utility>

namespace muster::sim {

Agents::Agents(Setting& setting, Around around)
    : setting_(setting), around_(std::move(around)), programs_(program_world()) {}

Agents::~Agents() = default;

ProgramWorld Agents::program_world() {
  return {.world = setting_.world,
          .faults = setting_.faults,
          .truth = setting_.truth,
          .plan = setting_.plan,
          .classifier = around_.classifier,
          .started = around_.program_started,
          .died = [this](const TrueAttempt& attempt) { program_died(attempt); },
          .tree = around_.tree};
}

void Agents::start(const cluster::LaunchOrder& order) {
  orders_.try_emplace(order.container, order);
  agents_[order.container] = std::make_unique<AgentProcess>(
      AgentProcess::Around{.programs = programs_,
                           .network = setting_.network,
                           .tree = around_.tree,
                           .ports = ports_,
                           .sink = setting_.log,
                           .pace = setting_.pacing.pace_of(order.host.value),
                           .starter = &around_.starter,
                           .left = [this](const job::ContainerId& id) { left(id); }},
      order);
}

void Agents::end(const job::ContainerId& container, TrueEnd how) {
  if (lives(container)) {
    agents_.at(container)->die(how);
  }
}

void Agents::wind_down(const job::ContainerId& container, Duration within) {
  const Duration patience = setting_.world.random().between(Duration::zero(), within);
  setting_.world.after(patience, [this, container] { end(container, TrueEnd::Stopped); });
}

void Agents::left(const job::ContainerId& container) {
  if (!lives(container)) {
    return;
  }
  if (!released_.contains(container)) {
    setting_.truth.origin_containers.insert(container);  // Nobody came for it in time.
  }
  end(container, TrueEnd::Stopped);
  around_.ended(container);
}

bool Agents::lives(const job::ContainerId& container) const {
  const auto found = agents_.find(container);
  return found != agents_.end() && found->second->alive();
}

std::vector<job::ContainerId> Agents::living() const {
  std::vector<job::ContainerId> living;
  for (const auto& [container, agent] : agents_) {
    if (agent->alive()) {
      living.push_back(container);
    }
  }
  return living;
}

std::vector<job::ContainerId> Agents::on(const job::HostName& host) const {
  std::vector<job::ContainerId> there;
  for (const auto& [container, agent] : agents_) {
    if (agent->host() == host) {
      there.push_back(container);
    }
  }
  return there;
}

void Agents::impersonate(const job::ContainerId& container, const std::string& master_address) {
  setting_.truth.origin_containers.insert(container);
  rogues_.push_back(std::make_unique<Rogue>(
      Rogue::Around{.world = setting_.world,
                    .network = setting_.network,
                    .truth = setting_.truth,
                    .lives = [this, container] { return lives(container); }},
      agent_name(container), orders_.at(container)));
  rogues_.back()->dial(master_address);
}

void Agents::program_died(const TrueAttempt& attempt) {
  if (setting_.plan.role(attempt.id.task.role).membership == spec::Membership::Independent) {
    return;  // Its peers do not talk to it.
  }
  // A copy: the original is gone once a program hears of it.
  const TrueAttempt dead = attempt;  // NOLINT(performance-unnecessary-copy-initialization)
  for (const auto& [container, agent] : agents_) {
    if (container != dead.container && agent->alive()) {
      agent->programs().peer_lost(dead);
    }
  }
}

}  // namespace muster::sim
