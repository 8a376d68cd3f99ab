// The life and death of masters and agents in a FullWorld.
#include "base/check.h"
#include "sim/core/lines.h"
#include "sim/full/full_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

// ---- masters

Result<cluster::MasterSought> FullWorld::Starter::seek() {
  using Kind = cluster::MasterSought::Kind;
  if (!world_.place_.summary.empty()) {
    return cluster::MasterSought{Kind::Over, ""};
  }
  if (world_.master_ == nullptr && world_.agents_start_masters_ && !world_.master_coming_) {
    world_.master_coming_ = true;
    world_.world_.after(
        world_.world_.random().between(Duration(milliseconds(5)), Duration(milliseconds(200))),
        [&world = world_] { world.start_master(); });
    return cluster::MasterSought{Kind::Started, ""};
  }
  // The file names the last master that came to publish its place: it may be dead by now.
  return cluster::MasterSought{Kind::Alive,
                               world_.place_.file ? world_.place_.file->address : std::string()};
}

void FullWorld::start_master() {
  master_coming_ = false;
  if (master_ != nullptr || over_) {
    return;
  }
  ++masters_;
  master_ = std::make_unique<MasterProcess>(master_around(), master_options(),
                                            "master" + std::to_string(masters_));
  if (faults_.strikes(Fault::MasterCrashesAmid)) {
    master_->doom(world_.random().below(40), faults_.strikes(Fault::TornLog));
  }
  const Status started = master_->start();
  if (!started) {
    refused_ = started.error().message;
    bury(std::move(master_));
    master_needed();
    return;
  }
  refused_.clear();
}

void FullWorld::bury(std::unique_ptr<MasterProcess> process) {
  // One of its callbacks may run now.
  buried_.push_back(std::move(process));
  world_.after({}, [this] { buried_.clear(); });
}

MasterProcess* FullWorld::master_named(const std::string& name) const {
  if (master_ != nullptr && master_->name() == name) {
    return master_.get();
  }
  for (const auto& old : replaced_) {
    if (old->name() == name) {
      return old.get();
    }
  }
  return nullptr;
}

// The cluster takes a master for dead that is not: it starts another and hears the first no more.
void FullWorld::replace_master() {
  replaced_.push_back(std::move(master_));
  master_needed();
}

void FullWorld::replaced_dies(MasterProcess* process) {
  const auto old = std::ranges::find(replaced_, process, &std::unique_ptr<MasterProcess>::get);
  if (old != replaced_.end()) {
    bury(std::move(*old));
    replaced_.erase(old);
  }
}

void FullWorld::master_ends_job(const MasterProcess& process) {
  // Until its successor made a segment it may end the job, and its successor finds the end.
  if (process.fenced() && shadow_.machine().state().phase != job::JobPhase::Ended) {
    broken("fence", process.name() + " ends the job while a newer master is in charge");
  }
}

void FullWorld::master_over(MasterProcess* process, const master::MasterEnd& end) {
  if (process != master_.get()) {
    replaced_dies(process);
    return;
  }
  if (end.kind == master::MasterEnd::Kind::JobEnded) {
    over_ = true;
    bury(std::move(master_));
    return;
  }
  broken("fence", "the only master was fenced");
}

void FullWorld::master_dies(bool torn) {
  if (master_ == nullptr) {
    return;
  }
  const std::unique_ptr<MasterProcess> dead = std::move(master_);
  dead->crash(torn);
  master_needed();
}

// Whoever starts masters does so after a while. Agents can only while there are any.
void FullWorld::master_needed() {
  const Duration gap = world_.random().between(Duration(milliseconds(50)), Duration(seconds(8)));
  const Duration patience = agents_start_masters_ ? gap + seconds(30) : gap;
  world_.after(patience, [this] {
    if (master_ == nullptr && !master_coming_) {
      start_master();
    }
  });
}

// ---- containers

bool FullWorld::agent_lives(const job::ContainerId& container) const {
  const auto found = agents_.find(container);
  return found != agents_.end() && found->second->alive();
}

std::vector<job::ContainerId> FullWorld::living_agents() const {
  std::vector<job::ContainerId> living;
  for (const auto& [container, agent] : agents_) {
    if (agent->alive()) {
      living.push_back(container);
    }
  }
  return living;
}

void FullWorld::start_agent(const job::ContainerId& container) {
  const cluster::LaunchOrder& order = orders_.at(container);
  agents_[container] = std::make_unique<AgentProcess>(
      AgentProcess::Around{.programs = programs_,
                           .network = network_,
                           .tree = tree_,
                           .ports = ports_,
                           .sink = log_,
                           .pace = pace_of(order.host.value),
                           .starter = &starter_,
                           .left = [this](const job::ContainerId& id) { agent_left(id); }},
      order);
}

void FullWorld::end_agent(const job::ContainerId& container, TrueEnd how) {
  if (agent_lives(container)) {
    agents_.at(container)->die(how);
  }
}

void FullWorld::wind_down(const job::ContainerId& container, Duration within) {
  const Duration patience = world_.random().between(Duration::zero(), within);
  world_.after(patience, [this, container] { end_agent(container, TrueEnd::Stopped); });
}

void FullWorld::agent_left(const job::ContainerId& container) {
  if (agent_lives(container)) {
    if (!released_.contains(container)) {
      truth_.origin_containers.insert(container);  // Nobody came for it in time.
    }
    end_agent(container, TrueEnd::Stopped);
    cluster_.agent_ended(container);
  }
}

void FullWorld::silence(const job::ContainerId& container) {
  const std::string agent = agent_name(container);
  for (uint64_t number = 1; number <= masters_ + 1; ++number) {
    const std::string master = "master" + std::to_string(number);
    network_.block(agent, master);
    network_.block(master, agent);
  }
}

void FullWorld::isolate(const job::ContainerId& container, Duration) {
  // Until the cluster ends it, which it does when it tells of the host's loss.
  silence(container);
}

void FullWorld::hear_cluster(const job::Fact& fact) {
  const int copies = faults_.strikes(Fault::DoubledFacts) ? 2 : 1;
  const auto deliver = [this, fact] {
    if (master_ != nullptr) {
      master_->link().deliver(fact);
    }
  };
  for (int i = 0; i < copies; ++i) {
    if (faults_.strikes(Fault::OvertakenWords)) {
      world_.after(overtaken(world_.random()), deliver);
      continue;
    }
    last_cluster_word_ = std::max(last_cluster_word_, world_.now() + travel());
    world_.at(last_cluster_word_, deliver);
  }
}

}  // namespace muster::sim
