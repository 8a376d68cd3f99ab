#include "sim/core/lines.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr Duration kForEver = std::chrono::days(365);

}  // namespace

Duration overtaken(Random& random) {
  return random.between(Duration(milliseconds(100)), Duration(seconds(10)));
}

Duration Lines::travel() {
  Random& random = world_.random();
  return faults_.strikes(Fault::SlowMessages)
             ? random.between(Duration(milliseconds(100)), Duration(seconds(4)))
             : random.between(Duration(milliseconds(1)), Duration(milliseconds(5)));
}

void Lines::send(const job::ContainerId& agent, Time Line::* last, Time deaf_until,
                 World::Event arrive) {
  Line& line = lines_[agent];
  if (!line.up) {
    return;
  }
  line.*last = std::max({line.*last, deaf_until, world_.now() + travel()});
  world_.at(line.*last, [this, agent, number = line.number, arrive = std::move(arrive)] {
    if (lines_.at(agent).number == number) {
      arrive();
    }
  });
}

void Lines::to_master(const job::ContainerId& from, World::Event arrive) {
  send(from, &Line::last_to_master, lines_[from].master_deaf_until, std::move(arrive));
}

void Lines::to_agent(const job::ContainerId& to, World::Event arrive) {
  send(to, &Line::last_to_agent, lines_[to].agent_deaf_until, std::move(arrive));
}

void Lines::from_cluster(World::Event arrive) {
  if (faults_.strikes(Fault::OvertakenWords)) {
    world_.after(overtaken(world_.random()), std::move(arrive));
    return;
  }
  last_from_cluster_ = std::max(last_from_cluster_, world_.now() + travel());
  world_.at(last_from_cluster_, std::move(arrive));
}

void Lines::dialled(const job::ContainerId& agent) {
  Line& line = lines_[agent];
  ++line.number;
  line.up = true;
}

void Lines::broke(const job::ContainerId& agent) {
  Line& line = lines_[agent];
  ++line.number;
  line.up = false;
}

void Lines::all_broke() {
  for (const auto& [agent, line] : lines_) {
    broke(agent);
  }
}

bool Lines::up(const job::ContainerId& agent) const {
  const auto found = lines_.find(agent);
  return found != lines_.end() && found->second.up;
}

void Lines::cut(const job::ContainerId& agent, Duration lasts, Directions directions) {
  Line& line = lines_[agent];
  const Time until = world_.now() + lasts;
  if (directions.to_agent) {
    line.agent_deaf_until = std::max(line.agent_deaf_until, until);
  }
  if (directions.to_master) {
    line.master_deaf_until = std::max(line.master_deaf_until, until);
  }
}

void Lines::silence(const job::ContainerId& agent) {
  cut(agent, kForEver, {});
  lines_.at(agent).silent = true;
}

bool Lines::silent(const job::ContainerId& agent) const {
  const auto found = lines_.find(agent);
  return found != lines_.end() && found->second.silent;
}

Time Lines::cut_until(const job::ContainerId& agent) const {
  const auto found = lines_.find(agent);
  return found == lines_.end()
             ? Time{}
             : std::max(found->second.agent_deaf_until, found->second.master_deaf_until);
}

bool Lines::heard(const job::ContainerId& agent) const {
  const auto found = lines_.find(agent);
  return found != lines_.end() && found->second.up &&
         found->second.master_deaf_until <= world_.now();
}

void Lines::heal() {
  for (auto& [agent, line] : lines_) {
    if (line.silent) {
      continue;
    }
    line.agent_deaf_until = std::min(line.agent_deaf_until, world_.now());
    line.master_deaf_until = std::min(line.master_deaf_until, world_.now());
  }
}

}  // namespace muster::sim
