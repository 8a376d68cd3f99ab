// What strikes a FullWorld while its faults last.
#include "sim/full/full_world.h"

#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLongestStall = seconds(18);
constexpr Duration kUnending = std::chrono::days(365);

}  // namespace

void FullWorld::disturb() {
  if (over_) {
    return;
  }
  Random& random = world_.random();
  disturb_masters();
  disturb_agents();
  check_mirror();
  world_.after(random.between(Duration(milliseconds(500)), Duration(milliseconds(1500))),
               [this] { disturb(); });
}

void FullWorld::disturb_masters() {
  Random& random = world_.random();
  if (faults_.strikes(Fault::LogUnavailable)) {
    disk_.back_at =
        world_.now() + random.between(Duration(milliseconds(100)), Duration(seconds(30)));
  }
  if (master_ == nullptr) {
    return;
  }
  if (faults_.strikes(Fault::MasterStalls)) {
    master_->loop().stall(random.between(Duration(milliseconds(100)), Duration(seconds(20))));
  }
  if (faults_.strikes(Fault::ClocksDiffer)) {
    master_->loop().shift_wall(random.between(Duration::zero(), Duration(minutes(20))) -
                               minutes(10));
  }
  if (faults_.strikes(Fault::StopAsked) && random.chance(10)) {
    truth_.stop_asked = true;
    master_->loop().post([this, process = master_.get()] {
      if (process == master_.get()) {
        process->master().stop("somebody");
      }
    });
  }
  if (faults_.strikes(Fault::MasterCrashesAmid)) {
    master_->doom(random.below(20), faults_.strikes(Fault::TornLog));
  }
  if (!agents_start_masters_ && faults_.strikes(Fault::MasterReplaced)) {
    master_->loop().stall(random.between(Duration::zero(), Duration(seconds(30))));
    replace_master();
    return;
  }
  if (faults_.strikes(Fault::MasterCrashes)) {
    world_.after(random.between(Duration::zero(), Duration(seconds(1))),
                 [this] { master_dies(faults_.strikes(Fault::TornLog)); });
  }
}

void FullWorld::disturb_agents() {
  const std::vector<job::ContainerId> living = living_agents();
  if (living.empty()) {
    return;
  }
  Random& random = world_.random();
  const job::ContainerId& victim = living[random.below(living.size())];
  if (faults_.strikes(Fault::BrokenConnections)) {
    truth_.origin_containers.insert(victim);  // Where messages are slow it may not be back in time.
    network_.reset(agent_name(victim));
  }
  if (faults_.strikes(Fault::AgentStalls)) {
    truth_.origin_containers.insert(victim);
    // Some hang for ever, and only their silence tells.
    const Duration lasts = random.between(Duration(milliseconds(100)), Duration(seconds(20)));
    agents_.at(victim)->loop().stall(lasts > kLongestStall ? kUnending : lasts);
  }
  if (faults_.strikes(Fault::ClocksDiffer)) {
    agents_.at(victim)->loop().shift_wall(random.between(Duration::zero(), Duration(minutes(20))) -
                                          minutes(10));
  }
  if (faults_.strikes(Fault::AgentLies)) {
    speak_falsely(victim);
  }
  disturb_lines(victim);
}

void FullWorld::disturb_lines(const job::ContainerId& victim) {
  Random& random = world_.random();
  if (faults_.strikes(Fault::Partitions)) {
    truth_.origin_containers.insert(victim);
    const uint64_t kind = random.below(4);
    cut(victim, random.between(Duration(seconds(1)), Duration(seconds(25))), kind != 0, kind != 1);
  }
  if (faults_.strikes(Fault::ConnectionsStall)) {
    truth_.origin_containers.insert(victim);
    const bool to_agent = random.chance(50);
    const Duration lasts = random.between(Duration(milliseconds(500)), Duration(seconds(15)));
    cut(victim, lasts, to_agent, !to_agent);
    world_.after(lasts, [this, name = agent_name(victim)] { network_.reset(name); });
  }
}

void FullWorld::speak_falsely(const job::ContainerId& container) {
  if (!place_.file) {
    return;
  }
  truth_.origin_containers.insert(container);
  watch_.impersonated(container);
  rogues_.push_back(std::make_unique<Rogue>(
      Rogue::Around{.world = world_,
                    .network = network_,
                    .truth = truth_,
                    .lives = [this, container] { return agent_lives(container); }},
      agent_name(container), orders_.at(container)));
  rogues_.back()->dial(place_.file->address);
}

void FullWorld::cut(const job::ContainerId& container, Duration lasts, bool to_agent,
                    bool to_master) {
  if (master_ == nullptr) {
    return;
  }
  const std::string agent = agent_name(container);
  const std::string master = master_->name();
  const auto one_way = [&](const std::string& from, const std::string& to) {
    network_.block(from, to);
    world_.after(lasts, [this, from, to] { network_.heal(from, to); });
  };
  if (to_agent) {
    one_way(master, agent);
  }
  if (to_master) {
    one_way(agent, master);
  }
}

void FullWorld::heal() { faults_.heal(); }

}  // namespace muster::sim
