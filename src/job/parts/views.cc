#include "job/parts/views.h"

#include "job/parts/lives.h"
#include "job/parts/turn.h"

#include <algorithm>
#include <variant>

namespace muster::job {

Views::Views(const Deps& deps, View& view) : turn_(deps.turn), lives_(deps.lives), view_(view) {}

void Views::start(const std::vector<TaskId>& starting) {
  view_.generation = Generation(std::max(view_.generation.value, floor_.value) + 1);
  take_starts_along();
  for (const TaskId id : starting) {
    lives_.tell_to_start(id, view_.generation);
    const Attempt& attempt = *lives_.live(id);
    turn_.act(StartAttempt{{id, attempt.number}, attempt.container, view_.generation});
  }
  form(starting);
}

void Views::start_again(TaskId id) {
  lives_.tell_to_start(id, view_.generation);
  const Attempt& attempt = *lives_.live(id);
  turn_.act(StartAttempt{{id, attempt.number}, attempt.container, view_.generation});
}

void Views::saw(Generation generation) { floor_ = std::max(floor_, generation); }

// If one fact forms several generations, only the view of the last is sent, and agents obey no
// older one: attempts that the same fact ordered to start earlier start in the newest.
void Views::take_starts_along() {
  for (Action& action : turn_.actions) {
    auto* const start = std::get_if<StartAttempt>(&action);
    const Attempt* const attempt = start != nullptr ? lives_.find_live(start->attempt) : nullptr;
    if (attempt != nullptr && attempt->state == AttemptState::Joined) {
      lives_.tell_to_start(start->attempt.task, view_.generation);
      start->generation = view_.generation;
    }
  }
}

// Small changes are worked into the old view; otherwise a new one is built.
void Views::form(const std::vector<TaskId>& starting) {
  std::vector<Member>& members = view_.members;
  const auto member_of = [&](TaskId id, const Attempt& attempt) {
    return Member{id,           attempt.number,    attempt.address,
                  attempt.host, attempt.container, attempt.slot};
  };
  if ((departed_.size() + starting.size()) * 4 < members.size()) {
    for (const TaskId id : departed_) {
      const auto at = std::ranges::lower_bound(members, id, {}, &Member::task);
      if (at != members.end() && at->task == id) {
        members.erase(at);
      }
    }
    for (const TaskId id : starting) {
      const auto at = std::ranges::lower_bound(members, id, {}, &Member::task);
      members.insert(at, member_of(id, *lives_.live(id)));
    }
  } else {
    members.clear();
    for (const std::vector<Task>& role : lives_.state().tasks) {
      for (const Task& each : role) {
        const Attempt* attempt = lives_.live(each.id);
        if (attempt != nullptr && attempt->generation.value != 0 &&
            attempt->state != AttemptState::Stopping) {
          members.push_back(member_of(each.id, *attempt));
        }
      }
    }
  }
  departed_.clear();
}

}  // namespace muster::job
