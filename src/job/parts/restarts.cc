#include "job/parts/restarts.h"

#include "job/parts/blame.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/places.h"
#include "job/parts/roles.h"
#include "job/parts/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace muster::job {

Restarts::Restarts(const Deps& deps, Roles& roles, Gangs& gangs, Places& places, Asks& asks,
                   Attempts& attempts, Blame& blame)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      roles_(roles),
      gangs_(gangs),
      places_(places),
      asks_(asks),
      attempts_(attempts),
      blame_(blame) {}

size_t Restarts::restart(std::vector<Move> moves, Duration wait) {
  const bool takes_gang = std::ranges::any_of(moves, [&](const Move& move) {
    const std::vector<Attempt>& attempts = lives_.task(move.task).attempts;
    return plan_.role(move.task.role).membership == spec::Membership::Static &&
           gangs_.of(move.task).cohort == 0 && !attempts.empty() &&
           attempts.back().generation.value != 0;
  });
  uint32_t gang = 0;
  if (takes_gang) {
    widen_to_gang(moves);
    if (plan_.barrier == spec::Barrier::Gang) {
      gang = gangs_.gather_again();
    }
    gather_from_running();
  }
  DeadlineId backoff;
  if (wait.count() > 0) {
    RestartTimer timer;
    std::ranges::transform(moves, std::back_inserter(timer.tasks), &Move::task);
    backoff = timers_
                  .set(std::move(timer), turn_.now + wait,
                       fmt::format("the restart of {}{}", to_string(plan_, moves.front().task),
                                   moves.size() > 1 ? " and others" : ""))
                  .id;
  }
  for (const Move& move : moves) {
    bring_back(move, gang, backoff);
  }
  attempts_.tell_to_stop(moves);
  return moves.size();
}

bool Restarts::regroup(std::vector<Move> moves, std::optional<TaskId> newcomer) {
  widen_to_gang(moves);
  std::erase_if(moves, [&](const Move& move) { return move.task == newcomer; });
  if (moves.empty()) {
    return false;
  }
  const uint32_t gang = gangs_.gather_again();
  gather_from_running();
  for (const Move& move : moves) {
    bring_back(move, gang, {});
  }
  attempts_.tell_to_stop(moves);
  return true;
}

// A static task takes its whole gang along: every started task that is not independent, those of it
// whose success is not final yet, and those that are on their way back already. Ranks that share a
// container with a rank that moves move with it: a gang stays packed as it was requested.
void Restarts::widen_to_gang(std::vector<Move>& moves) {
  for (const TaskId lost_a_peer : blame_.absorb()) {
    moves.push_back({.task = lost_a_peer});
  }
  std::set<TaskId> listed;
  std::set<ContainerId> left;
  for (const Move& move : moves) {
    listed.insert(move.task);
    const std::vector<Attempt>& attempts = lives_.task(move.task).attempts;
    if (move.placement == Placement::NewContainer && !attempts.empty()) {
      left.insert(attempts.back().container);
    }
  }
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      const spec::Membership membership = plan_.role(each.id.role).membership;
      if (membership == spec::Membership::Independent || listed.contains(each.id)) {
        continue;
      }
      const Attempt* attempt = lives_.live(each.id);
      const bool runs = attempt != nullptr && attempt->generation.value != 0 &&
                        attempt->state != AttemptState::Stopping;
      const bool again = each.state == TaskState::Succeeded && !roles_.flags(each.id).final &&
                         membership == spec::Membership::Static;
      if (!runs && !again) {
        continue;
      }
      const bool moves_out = left.contains(each.attempts.back().container);
      moves.push_back({.task = each.id,
                       .placement = moves_out ? Placement::NewContainer : Placement::SameSlot,
                       .grace = plan_.deadlines.stop});
    }
  }
}

void Restarts::bring_back(const Move& move, uint32_t gang, DeadlineId backoff) {
  const TaskId id = move.task;
  const Task& task = lives_.task(id);
  if (task.state == TaskState::Succeeded) {
    lives_.move(id, TaskState::Waiting);
  }
  if (!task.attempts.empty() && task.attempts.back().generation.value != 0) {
    lives_.count_restart(id);
  }
  roles_.set_final(id, false);
  asks_.wait_for(id, backoff);
  const bool leaves = move.placement == Placement::NewContainer;
  places_.set_leaves(id, leaves);
  // A task that is gathering for its first start stays with its cohort.
  const Cohort* own = gangs_.cohort_of(id);
  if (gang != 0 && (own == nullptr || !own->gang)) {
    gangs_.enter(gang, id);
  }
  asks_.want(id, move.placement);
  if (leaves && lives_.live(id) == nullptr) {
    places_.leave(id);
  }
}

void Restarts::gather_from_running() {
  if (lives_.state().phase == JobPhase::Running) {
    lives_.move(JobPhase::Gathering);
  }
}

void Restarts::start_over(Duration wait) {
  blame_.started_over();
  std::vector<Move> moves;
  for (size_t i = 0; i < plan_.roles.size(); ++i) {
    bool any = false;
    for (const Task& each : lives_.state().tasks[i]) {
      if (each.state == TaskState::Stopped || roles_.flags(each.id).final) {
        continue;
      }
      any = true;
      asks_.withdraw(each.id);
      gangs_.leave(each.id);
      roles_.start_over(each.id);
      places_.set_leaves(each.id, true);
      if (each.state == TaskState::Failed || each.state == TaskState::Succeeded) {
        lives_.move(each.id, TaskState::Waiting);
      }
      if (!each.attempts.empty()) {
        lives_.count_restart(each.id);
      }
      if (lives_.live(each.id) != nullptr) {
        moves.push_back({.task = each.id, .grace = plan_.deadlines.stop});
      } else {
        places_.leave(each.id);
      }
    }
    roles_.reopen(RoleIndex(static_cast<uint16_t>(i)), any);
  }
  attempts_.tell_to_stop(moves);
  gather_from_running();
  if (wait.count() == 0) {
    roles_.ask_review();
    return;
  }
  start_over_ = timers_.set(StartOverTimer{}, turn_.now + wait, "the whole job to start over");
}

}  // namespace muster::job
