#include "sim/full/run_cluster.h"

#include "sim/core/lines.h"
#include "sim/full/agents.h"
#include "sim/full/masters.h"
#include "sim/full/watched_link.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace muster::sim {

RunCluster::RunCluster(Setting& setting, const Around& around, bool yarn)
    : setting_(setting), around_(around) {
  if (yarn) {
    yarn_ = std::make_unique<YarnModel>(yarn_around());
  } else {
    model_ = std::make_unique<ClusterModel>(model_around());
  }
}

// An isolated container stays isolated until the cluster ends it, which happens when it reports
// that the host is lost.
ClusterModel::Around RunCluster::model_around() {
  Agents& agents = around_.agents;
  return {
      .world = setting_.world,
      .faults = setting_.faults,
      .truth = setting_.truth,
      .tell = [this](const job::Fact& fact) { hear(fact); },
      .start_agent = [&agents](const auto& container, const auto&) { agents.start(container); },
      .end_agent = [&agents](const auto& container, TrueEnd how) { agents.end(container, how); },
      .wind_down = [&agents](const auto& container,
                             Duration within) { agents.wind_down(container, within); },
      .host_dies = [this](const job::HostName& host) { host_dies(host); },
      .isolate = [this](const auto& container, Duration) { silence(container); },
      .launched_again = [](const auto&) {}};
}

YarnModel::Around RunCluster::yarn_around() {
  Agents& agents = around_.agents;
  return {
      .world = setting_.world,
      .faults = setting_.faults,
      .truth = setting_.truth,
      .loop = setting_.network_loop,
      .start_agent = [&agents](const cluster::LaunchOrder& order) { agents.start(order); },
      .end_agent = [&agents](const auto& container, TrueEnd how) { agents.end(container, how); },
      .host_dies = [this](const job::HostName& host) { host_dies(host); },
      .isolate = [this](const auto& container, Duration) { silence(container); }};
}

std::unique_ptr<cluster::Link> RunCluster::open_link(MasterProcess& process) {
  return yarn_ != nullptr ? open_yarn_link(process) : open_model_link(process);
}

// The modelled cluster knows only the newest master: an older one's requests are ignored.
std::unique_ptr<cluster::Link> RunCluster::open_model_link(MasterProcess& process) {
  auto link = std::make_unique<ClusterLink>(ClusterLink::Around{
      .cluster = *model_,
      .loop = process.loop(),
      .lets_act = [this,
                   &process] { return process.may_act() && &process == around_.masters.newest(); },
      .launches = [this](const cluster::LaunchOrder& order) { around_.agents.order(order); },
      .known_dead =
          [this](const job::ContainerId& container) {
            return model_->known_gone(container) && !around_.agents.lives(container);
          },
      .released = [this](const auto& container,
                         cluster::Confirm confirm) { given_back(container, confirm); },
      .finished =
          [this](const job::Outcome& outcome) { around_.judgement.left_cluster(outcome); }});
  line_ = link.get();
  return link;
}

std::unique_ptr<cluster::Link> RunCluster::open_yarn_link(MasterProcess& process) {
  Masters& masters = around_.masters;
  World& world = setting_.world;
  auto link = yarn_->open_link(
      {.loop = process.loop(),
       .sink = setting_.log,
       .plan = setting_.plan,
       .address = [&masters] { return masters.address(); },
       .dismissed =
           [&masters, &world, &process] {
             world.after({}, [&masters, gone = &process] { masters.dismissed(gone); });
           },
       .left =
           [&masters, &world, name = process.name()] {
             world.after({}, [&masters, name] { masters.link_left(name); });
           }});
  WatchedLink::Watch watch{
      .lets_act = [&process] { return process.may_act(); },
      .released = [this](const auto& container,
                         cluster::Confirm confirm) { given_back(container, confirm); },
      .finished = [this](const job::Outcome& outcome) { around_.judgement.left_cluster(outcome); },
      .heard =
          [this](const job::Fact& fact) {
            // Its answer may have been lost: the master cannot know better.
            if (const auto* failed = std::get_if<job::LaunchFailed>(&fact)) {
              setting_.truth.origin_containers.insert(failed->container);
            }
          }};
  return std::make_unique<WatchedLink>(std::move(link), std::move(watch));
}

void RunCluster::given_back(const job::ContainerId& container, cluster::Confirm confirm) {
  // A master that ends without its log does things that no later one can read there.
  const job::State& logged = around_.judgement.machine().state();
  const auto known = logged.containers.find(container);
  if (logged.phase < job::JobPhase::Stopping && known != logged.containers.end() &&
      known->second.state < job::ContainerState::Draining) {
    setting_.truth.origin_containers.insert(container);
  }
  around_.agents.given_back(container);
  around_.judgement.given_back(container, confirm);
}

void RunCluster::agent_ended(const job::ContainerId& container) {
  if (yarn_ != nullptr) {
    yarn_->agent_ended(container);
  } else {
    model_->agent_ended(container);
  }
}

void RunCluster::master_failed() {
  if (yarn_ != nullptr) {
    yarn_->master_failed();
  }
}

bool RunCluster::is_over() const { return yarn_ != nullptr && yarn_->is_over(); }

void RunCluster::hear(const job::Fact& fact) {
  const int copies = setting_.faults.strikes(Fault::DoubledFacts) ? 2 : 1;
  const auto deliver = [this, fact] {
    if (around_.masters.newest() != nullptr) {
      line_->deliver(fact);
    }
  };
  for (int i = 0; i < copies; ++i) {
    if (setting_.faults.strikes(Fault::OvertakenWords)) {
      setting_.world.after(overtaken(setting_.world.random()), deliver);
      continue;
    }
    last_word_ = std::max(last_word_, setting_.world.now() + setting_.pacing.travel());
    setting_.world.at(last_word_, deliver);
  }
}

void RunCluster::host_dies(const job::HostName& host) {
  for (const job::ContainerId& container : around_.agents.on(host)) {
    silence(container);
  }
}

void RunCluster::silence(const job::ContainerId& container) {
  const std::string agent = agent_name(container);
  for (const std::string& master : around_.masters.names()) {
    setting_.network.block(agent, master);
    setting_.network.block(master, agent);
  }
}

}  // namespace muster::sim
