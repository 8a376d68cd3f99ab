#include "sim/full/disturber.h"

#include <string>
#include <vector>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kLongestStall = seconds(18);
constexpr Duration kUnending = std::chrono::days(365);

}  // namespace

void Disturber::disturb() {
  if (around_.masters.over()) {
    return;
  }
  disturb_masters();
  disturb_agents();
  around_.judgement.look_at_mirror();
  const Duration pause =
      setting_.world.random().between(Duration(milliseconds(500)), Duration(milliseconds(1500)));
  setting_.world.after(pause, [this] { disturb(); });
}

void Disturber::disturb_masters() {
  World& world = setting_.world;
  Faults& faults = setting_.faults;
  Masters& masters = around_.masters;
  Random& random = world.random();
  if (faults.strikes(Fault::LogUnavailable)) {
    around_.disk.back_at =
        world.now() + random.between(Duration(milliseconds(100)), Duration(seconds(30)));
  }
  MasterProcess* const newest = masters.newest();
  if (newest == nullptr) {
    return;
  }
  if (faults.strikes(Fault::MasterStalls)) {
    newest->loop().stall(random.between(Duration(milliseconds(100)), Duration(seconds(20))));
  }
  if (faults.strikes(Fault::ClocksDiffer)) {
    newest->loop().shift_wall(random.between(Duration::zero(), Duration(minutes(20))) -
                              minutes(10));
  }
  if (faults.strikes(Fault::StopAsked) && random.chance(10)) {
    setting_.truth.stop_asked = true;
    const auto how = random.chance(50) ? job::StopHow::Interrupt : job::StopHow::Terminate;
    newest->loop().post([&masters, how, process = newest] {
      if (process == masters.newest()) {
        process->master().stop({.by = "somebody", .how = how});
      }
    });
  }
  if (faults.strikes(Fault::MasterCrashesAmid)) {
    newest->doom(random.below(20), faults.strikes(Fault::TornLog));
  }
  if (!setting_.agents_start_masters && faults.strikes(Fault::MasterReplaced)) {
    newest->loop().stall(random.between(Duration::zero(), Duration(seconds(30))));
    masters.replace_newest();
    return;
  }
  if (faults.strikes(Fault::MasterCrashes)) {
    world.after(random.between(Duration::zero(), Duration(seconds(1))),
                [&masters, &faults] { masters.die(faults.strikes(Fault::TornLog)); });
  }
}

void Disturber::disturb_agents() {
  const std::vector<job::ContainerId> living = around_.agents.living();
  if (living.empty()) {
    return;
  }
  Faults& faults = setting_.faults;
  Random& random = setting_.world.random();
  const job::ContainerId& victim = living[random.below(living.size())];
  ProcessLoop& loop = around_.agents.loop_of(victim);
  if (faults.strikes(Fault::BrokenConnections)) {
    // If messages are slow, it may not be back in time.
    setting_.truth.origin_containers.insert(victim);
    setting_.network.reset(agent_name(victim));
  }
  if (faults.strikes(Fault::AgentStalls)) {
    setting_.truth.origin_containers.insert(victim);
    // Some hang for ever, and only their silence gives them away.
    const Duration lasts = random.between(Duration(milliseconds(100)), Duration(seconds(20)));
    loop.stall(lasts > kLongestStall ? kUnending : lasts);
  }
  if (faults.strikes(Fault::ClocksDiffer)) {
    loop.shift_wall(random.between(Duration::zero(), Duration(minutes(20))) - minutes(10));
  }
  if (faults.strikes(Fault::AgentLies)) {
    speak_falsely(victim);
  }
  disturb_lines(victim);
}

void Disturber::disturb_lines(const job::ContainerId& victim) {
  Random& random = setting_.world.random();
  if (setting_.faults.strikes(Fault::Partitions)) {
    setting_.truth.origin_containers.insert(victim);
    const uint64_t kind = random.below(4);
    cut(victim, random.between(Duration(seconds(1)), Duration(seconds(25))), kind != 0, kind != 1);
  }
  if (setting_.faults.strikes(Fault::ConnectionsStall)) {
    setting_.truth.origin_containers.insert(victim);
    const bool to_agent = random.chance(50);
    const Duration lasts = random.between(Duration(milliseconds(500)), Duration(seconds(15)));
    cut(victim, lasts, to_agent, !to_agent);
    setting_.world.after(
        lasts, [&network = setting_.network, name = agent_name(victim)] { network.reset(name); });
  }
}

void Disturber::speak_falsely(const job::ContainerId& container) {
  const std::string address = around_.masters.address();
  if (address.empty()) {
    return;
  }
  around_.judgement.impersonated(container);
  around_.agents.impersonate(container, address);
}

void Disturber::cut(const job::ContainerId& container, Duration lasts, bool to_agent,
                    bool to_master) {
  const MasterProcess* const newest = around_.masters.newest();
  if (newest == nullptr) {
    return;
  }
  const std::string agent = agent_name(container);
  const auto one_way = [&](const std::string& from, const std::string& to) {
    testing::MemoryNetwork& network = setting_.network;
    network.block(from, to);
    setting_.world.after(lasts, [&network, from, to] { network.heal(from, to); });
  };
  if (to_agent) {
    one_way(newest->name(), agent);
  }
  if (to_master) {
    one_way(agent, newest->name());
  }
}

}  // namespace muster::sim
