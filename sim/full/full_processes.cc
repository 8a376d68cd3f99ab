// The life and death of masters and agents in a FullWorld.
#include "base/check.h"
#include "sim/core/lines.h"
#include "sim/full/full_world.h"
#include "sim/full/watched_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kGoodbyeMax = std::chrono::minutes(1);

}  // namespace

// ---- lines to the cluster

void FullWorld::given_back(const job::ContainerId& container, cluster::Confirm confirm) {
  released_.insert(container);
  for (const auto& checker : checkers_) {
    checker->released(job::ReleaseContainer{container});
    checker->given_back(container, confirm);
  }
}

void FullWorld::left_link(const job::Outcome& outcome) {
  finished_ = outcome;
  for (const auto& checker : checkers_) {
    checker->released(job::Finish{outcome});
  }
}

// The modelled cluster knows only the newest master: what an older one asks for is ignored.
std::unique_ptr<cluster::Link> FullWorld::open_link(MasterProcess& process) {
  auto link = std::make_unique<ClusterLink>(ClusterLink::Around{
      .cluster = *cluster_,
      .loop = process.loop(),
      .lets_act = [this, &process] { return process.may_act() && &process == master_.get(); },
      .launches =
          [this](const cluster::LaunchOrder& order) {
            orders_.try_emplace(order.container, order);
          },
      .known_dead =
          [this](const job::ContainerId& container) {
            return cluster_->known_gone(container) && !agent_lives(container);
          },
      .released = [this](const auto& container,
                         cluster::Confirm confirm) { given_back(container, confirm); },
      .finished = [this](const job::Outcome& outcome) { left_link(outcome); }});
  line_ = link.get();
  return link;
}

std::unique_ptr<cluster::Link> FullWorld::open_yarn_link(MasterProcess& process) {
  auto link = yarn_->open_link(
      {.loop = process.loop(),
       .sink = log_,
       .plan = plan_,
       .address = [this] { return place_.file ? place_.file->address : std::string(); },
       .dismissed = [this,
                     &process] { world_.after({}, [this, gone = &process] { dismissed(gone); }); },
       .left =
           [this, name = process.name()] {
             world_.after({}, [this, name] {
               if (MasterProcess* const leaving = master_named(name)) {
                 leaving->end().link_left = true;
                 leave_yarn(name);
               }
             });
           }});
  WatchedLink::Watch watch{
      .lets_act = [&process] { return process.may_act(); },
      .released = [this](const auto& container,
                         cluster::Confirm confirm) { given_back(container, confirm); },
      .finished = [this](const job::Outcome& outcome) { left_link(outcome); },
      .heard =
          [this](const job::Fact& fact) {
            // Its answer may have been lost: the master can know no better.
            if (const auto* failed = std::get_if<job::LaunchFailed>(&fact)) {
              truth_.origin_containers.insert(failed->container);
            }
          }};
  return std::make_unique<WatchedLink>(std::move(link), std::move(watch));
}

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
  if (yarn_ != nullptr && yarn_->is_over()) {
    over_ = true;  // The last one told it of the end and died before it heard that YARN knows.
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
    if (yarn_ != nullptr) {
      yarn_->master_failed();
    }
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
  if (yarn_ != nullptr) {
    yarn_->master_failed();
  }
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
  if (end.kind != master::MasterEnd::Kind::JobEnded) {
    broken("fence", "the only master was fenced");
    return;
  }
  process->end().master_done = true;
  if (yarn_ == nullptr) {
    over_ = true;
    bury(std::move(master_));
    return;
  }
  world_.after({}, [this, name = process->name()] { leave_yarn(name); });
  world_.after(kGoodbyeMax, [this, name = process->name()] {
    if (MasterProcess* const late = master_named(name)) {
      late->end().link_left = true;
      leave_yarn(name);
    }
  });
}

// On YARN it exits when its line has left, or a minute after the job's end. An attempt that exits
// without having said farewell has failed: the next one says it.
void FullWorld::leave_yarn(const std::string& master) {
  MasterProcess* const process = master_named(master);
  if (process == nullptr || !process->end().master_done || !process->end().link_left) {
    return;
  }
  if (process != master_.get()) {
    replaced_dies(process);
  } else if (yarn_->is_over()) {
    over_ = true;
    bury(std::move(master_));
  } else {
    master_dies(false);
  }
}

void FullWorld::master_dies(bool torn) {
  if (master_ == nullptr) {
    return;
  }
  if (yarn_ != nullptr) {
    yarn_->master_failed();
  }
  const std::unique_ptr<MasterProcess> dead = std::move(master_);
  dead->crash(torn);
  master_needed();
}

// It ends without a word, so that the cluster tries again.
void FullWorld::dismissed(const MasterProcess* process) {
  if (process == master_.get()) {
    master_dies(false);
    return;
  }
  const auto old = std::ranges::find(replaced_, process, &std::unique_ptr<MasterProcess>::get);
  if (old != replaced_.end()) {
    replaced_dies(old->get());
  }
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

void FullWorld::start_agent(const cluster::LaunchOrder& order) {
  agents_[order.container] = std::make_unique<AgentProcess>(
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
    if (yarn_ != nullptr) {
      yarn_->agent_ended(container);
    } else {
      cluster_->agent_ended(container);
    }
  }
}

void FullWorld::host_dies(const job::HostName& host) {
  for (const auto& [container, agent] : agents_) {
    if (agent->host() == host) {
      silence(container);
    }
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
      line_->deliver(fact);
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
