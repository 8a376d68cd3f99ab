#include "job/parts/places.h"

#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/turn.h"

#include <algorithm>
#include <map>

namespace muster::job {

Places::Places(const Deps& deps, Gangs& gangs)
    : turn_(deps.turn), lives_(deps.lives), gangs_(gangs), seats_(deps.plan) {}

void Places::settle(TaskId id, const Container& container) {
  Seat& seat = seats_[id];
  seat.leaves = false;
  if (!seat.at_home) {
    seat.at_home = true;
    lives_.occupy(container);
  }
}

void Places::leave(TaskId id) {
  Seat& seat = seats_[id];
  seat.leaves = false;
  if (!seat.at_home) {
    return;
  }
  seat.at_home = false;
  gangs_.may_not_come(id);
  const Container& home = *lives_.find(lives_.task(id).attempts.back().container);
  if (lives_.vacate(home) == 0) {
    drain(home);
  }
}

void Places::lost(TaskId id, const Container& container) {
  Seat& seat = seats_[id];
  if (seat.at_home) {
    seat = {};
    lives_.vacate(container);
    gangs_.may_not_come(id);
  }
}

void Places::stay() {
  seats_.for_each([](Seat& seat) { seat.leaves = false; });
}

bool Places::mates_leave(TaskId id) const {
  const ContainerId& before = lives_.task(id).attempts.back().container;
  return std::ranges::any_of(lives_.find(before)->tasks, [&](TaskId mate) {
    const Attempt* attempt = lives_.live(mate);
    return seats_[mate].leaves && attempt != nullptr && attempt->container == before;
  });
}

void Places::take_in_unwanted(const ContainerGranted& granted) { drain(lives_.grant(granted)); }

void Places::drain(const Container& container) {
  if (container.state == ContainerState::Draining || container.state == ContainerState::Gone) {
    return;
  }
  lives_.move(container, ContainerState::Draining);
  if (container.live == 0) {
    turn_.act(ReleaseContainer{container.id});
  }
}

void Places::attempt_ended(TaskId id, const Container& container) {
  const bool drained = container.state == ContainerState::Draining && container.live == 0;
  if (seats_[id].leaves) {
    leave(id);
  }
  if (drained) {
    turn_.act(ReleaseContainer{container.id});
  } else if (container.live == 0 && lives_.stopping() && container.state != ContainerState::Gone) {
    drain(container);
  }
}

void Places::tell_again() const {
  for (const auto& [id, container] : lives_.state().containers) {
    if (container.state == ContainerState::Launching) {
      turn_.act(LaunchAgent{id});
    } else if (container.state == ContainerState::Draining && container.live == 0) {
      turn_.act(ReleaseContainer{id});
    }
  }
}

// lint: allow(unused) what the simulator recounts
bool Places::tallies_hold() const {
  std::map<ContainerId, uint32_t> occupants;
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      if (seats_[each.id].at_home) {
        ++occupants[each.attempts.back().container];
      }
    }
  }
  return std::ranges::all_of(lives_.state().containers, [&](const auto& entry) {
    return entry.second.occupants == occupants[entry.first];
  });
}

}  // namespace muster::job
