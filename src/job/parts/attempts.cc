#include "job/parts/attempts.h"

#include "base/check.h"
#include "job/describe.h"
#include "job/parts/fence.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/places.h"
#include "job/parts/roles.h"
#include "job/parts/turn.h"
#include "job/parts/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::job {

namespace {

/// Returns whether the end of an attempt that was told to stop shows a failure of its own, which
/// would recur.
bool fails_by_itself(const Exit& exit) {
  return exit.failure && exit.failure->kind == FailureKind::User &&
         exit.failure->remedy == Remedy::GiveUp;
}

}  // namespace

Attempts::Attempts(const Deps& deps, Roles& roles, Views& views, Gangs& gangs, Places& places,
                   Asks& asks, Fence& fence)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      roles_(roles),
      views_(views),
      gangs_(gangs),
      places_(places),
      asks_(asks),
      fence_(fence),
      runs_(deps.plan),
      batches_(deps) {}

// ---- beginning

void Attempts::place(TaskId id, const Container& where, uint32_t slot) {
  const std::vector<Attempt>& before = lives_.task(id).attempts;
  const uint32_t last = before.empty() ? 0 : before.back().number;
  lives_.place(id, where, slot, std::max(last, runs_[id].number_floor) + 1);
  asks_.placed(id);
  places_.settle(id, where);
  if (plan_.deadlines.join) {
    runs_[id].join = timers_.set(JoinTimer{id}, turn_.now + *plan_.deadlines.join,
                                 fmt::format("{} to join", to_string(plan_, id)));
  }
  gangs_.granted(id);
  if (where.state == ContainerState::Ready) {
    prepare(id);
  }
}

void Attempts::agent_ready(const Container& container, const std::string& address) {
  if (container.state != ContainerState::Launching) {
    return;
  }
  lives_.ready(container, address);
  for (const TaskId id : container.tasks) {
    const Attempt* attempt = lives_.live(id);
    if (attempt != nullptr && attempt->container == container.id) {
      prepare(id);
    }
  }
}

void Attempts::prepare(TaskId id) {
  const Task& task = lives_.task(id);
  const Attempt& attempt = *lives_.live(id);
  PrepareAttempt action;
  action.attempt = {id, attempt.number};
  action.container = attempt.container;
  action.slot = attempt.slot;
  action.restarts = task.restarts;
  switch (plan_.spec.checkpoint.resume) {
    case spec::Resume::Always:
      action.restore = true;
      break;
    case spec::Resume::Restarts:
      action.restore = lives_.state().last_commit.has_value();
      break;
    case spec::Resume::Never:
      break;
  }
  const bool keeps = plan_.role(id.role).membership == spec::Membership::Rejoin ||
                     !plan_.gives_new_ports_on_restart;
  if (keeps && !runs_[id].new_ports && task.attempts.size() > 1) {
    const Attempt& before = task.attempts[task.attempts.size() - 2];
    action.keep_port = before.host == attempt.host ? before.address.port : 0;
  }
  turn_.act(std::move(action));
}

bool Attempts::joined(TaskId id, const Address& address) {
  if (lives_.live(id)->state != AttemptState::Placed) {
    return false;
  }
  lives_.join(id, address);
  timers_.clear(runs_[id].join);
  runs_[id].new_ports = false;
  gangs_.joined(id);
  return true;
}

bool Attempts::keeps_address(TaskId id, const Address& address) const {
  const std::vector<Attempt>& attempts = lives_.task(id).attempts;
  for (auto before = attempts.rbegin() + 1; before != attempts.rend(); ++before) {
    if (before->generation.value != 0) {
      return before->address.host == address.host && before->address.port == address.port;
    }
  }
  return true;
}

void Attempts::started(TaskId id, int32_t pid) {
  const Attempt& attempt = *lives_.live(id);
  if (attempt.generation.value == 0 || attempt.pid != 0 || attempt.state == AttemptState::Running) {
    return;
  }
  roles_.note_started(id);
  lives_.run(id, pid);
}

// ---- stopping

void Attempts::tell_to_stop(std::span<const Move> moves) {
  std::vector<AttemptId> stopping;
  Duration grace_max{};
  for (const Move& told : moves) {
    const TaskId id = told.task;
    const Attempt* attempt = lives_.live(id);
    if (attempt == nullptr || attempt->state == AttemptState::Stopping) {
      continue;
    }
    if (lives_.find(attempt->container)->state == ContainerState::Launching) {
      end(id, std::nullopt);
      ended_as_told(id);
      continue;
    }
    gangs_.out(id);
    timers_.clear(runs_[id].join);
    if (attempt->generation.value != 0) {
      views_.left(id);
    }
    lives_.tell_to_stop(id);
    stopping.push_back({id, attempt->number});
    grace_max = std::max(grace_max, told.grace);
    turn_.act(StopAttempt{.attempt = {id, attempt->number},
                          .container = attempt->container,
                          .grace = told.grace,
                          .reason = told.reason});
  }
  batches_.begin(std::move(stopping), grace_max);
}

// ---- ending

// Records every end, whatever its reason; its consequences are up to the caller.
void Attempts::end(TaskId id, std::optional<Exit> exit, TaskState to) {
  const Attempt& attempt = *lives_.live(id);
  gangs_.out(id);
  timers_.clear(runs_[id].join);
  if (attempt.generation.value != 0) {
    views_.left(id);
  }
  const Container& container =
      lives_.end(id, std::move(exit), lives_.stopping() ? TaskState::Stopped : to);
  batches_.leave(id);
  if (places_.of(id).leaves) {
    asks_.poke(container.tasks);  // Those that leave the same place ask for the next one together.
  }
  places_.attempt_ended(id, container);
  turn_.wait_changed = true;
  gangs_.may_not_come(id);
  asks_.poke(id);
}

// An attempt that was told to stop, or that the job's end overtook, has ended.
void Attempts::ended_as_told(TaskId id) {
  const Attempt& attempt = lives_.task(id).attempts.back();
  const bool lost_a_peer =
      attempt.exit && attempt.exit->failure && attempt.exit->failure->kind == FailureKind::PeerLoss;
  lives_.set_part({id, attempt.number}, lost_a_peer ? Part::Victim : Part::Stopped);
  if (lives_.stopping()) {
    return;
  }
  if (roles_.flags(id).given_up) {
    abandon(id, TaskState::Stopped);
  } else if (attempt.exit && fails_by_itself(*attempt.exit)) {
    return;  // Before the stop reached it: its failure decides what becomes of the task.
  } else if (!asks_.of(id).wanted && roles_.asked(id.role)) {
    asks_.want(id, Placement::SameSlot);
  }
}

Attempts::Meaning Attempts::ended(TaskId id, const Exit& exit) {
  const bool told = lives_.live(id)->state == AttemptState::Stopping;
  const bool was_started = lives_.live(id)->generation.value != 0;
  if (was_started) {
    roles_.note_started(id);
  }
  const bool well = exit.succeeded() && was_started && !told;
  end(id, exit, well ? TaskState::Succeeded : TaskState::Waiting);
  const Attempt& attempt = lives_.task(id).attempts.back();
  if (told || lives_.stopping()) {
    const bool stays_wanted = !lives_.stopping() && !roles_.flags(id).given_up;
    ended_as_told(id);
    if (stays_wanted && fails_by_itself(exit)) {
      return {.failed = cause_of_exit(id, attempt, exit, turn_.now)};
    }
    return {};
  }
  if (!exit.succeeded()) {
    return {.failed = cause_of_exit(id, attempt, exit, turn_.now)};
  }
  if (!was_started) {
    // An attempt that was never told to start cannot have succeeded.
    return {.failed = cause_of_vanishing(id, attempt, turn_.now)};
  }
  return {.succeeded = true};
}

Attempts::Meaning Attempts::vanished(TaskId id) {
  const Attempt& attempt = *lives_.live(id);
  const bool told = attempt.state == AttemptState::Stopping;
  Cause cause = cause_of_vanishing(id, attempt, turn_.now);
  end(id, std::nullopt);
  if (told || lives_.stopping()) {
    ended_as_told(id);
    return {};
  }
  return {.failed = std::move(cause)};
}

// Its place may be what holds it up: nothing new is put there. Its agent drops what it had
// prepared.
std::optional<Cause> Attempts::join_passed(TaskId id) {
  runs_[id].join = {};
  const Attempt* attempt = lives_.live(id);
  if (attempt == nullptr || attempt->state != AttemptState::Placed) {
    return std::nullopt;
  }
  Cause cause = cause_of_join_deadline(id, *attempt, *plan_.deadlines.join, turn_.now);
  places_.set_leaves(id, true);
  if (lives_.find(attempt->container)->state == ContainerState::Ready) {
    turn_.act(StopAttempt{.attempt = {id, attempt->number}, .container = attempt->container});
  }
  end(id, std::nullopt);
  return cause;
}

void Attempts::cut_off(TaskId id) {
  const Attempt& attempt = *lives_.live(id);
  places_.set_leaves(id, true);
  turn_.act(StopAttempt{.attempt = {id, attempt.number}, .container = attempt.container});
  fence_.watch({id, attempt.number}, *lives_.find(attempt.container));
  end(id, std::nullopt);
}

// The container's state changes first, so that nothing is placed there again.
std::vector<Cause> Attempts::lose(const Container& container, bool gone, const MakeCause& make) {
  lives_.suspect(container, false);
  if (gone) {
    lives_.move(container, ContainerState::Gone);
    may_start(fence_.gone(container.id));
  } else {
    places_.drain(container);
  }
  std::vector<Cause> causes;
  for (const TaskId id : container.tasks) {
    const std::vector<Attempt>& attempts = lives_.task(id).attempts;
    if (attempts.empty() || attempts.back().container != container.id) {
      continue;
    }
    places_.lost(id, container);
    const Attempt& attempt = attempts.back();
    if (attempt.state == AttemptState::Ended) {
      continue;
    }
    const bool told = attempt.state == AttemptState::Stopping;
    Cause cause = make(id, attempt);
    if (!gone && attempt.generation.value != 0 && !lives_.stopping()) {
      fence_.watch({id, attempt.number}, container);
    }
    end(id, std::nullopt);
    if (told || lives_.stopping()) {
      ended_as_told(id);
    } else {
      causes.push_back(std::move(cause));
    }
  }
  MUSTER_CHECK(container.live == 0, "a lost container carries nothing");
  asks_.poke(container.tasks);
  return causes;
}

void Attempts::ended_unheard(AttemptId id) { may_start(fence_.ended(id)); }

void Attempts::fence_passed(const ContainerId& container) { may_start(fence_.passed(container)); }

void Attempts::may_start(std::span<const TaskId> tasks) {
  for (const TaskId id : tasks) {
    gangs_.look_again(gangs_.of(id).cohort);
  }
}

void Attempts::give_back(TaskId id) {
  asks_.cancel(id);
  places_.set_leaves(id, true);
  if (const Attempt* attempt = lives_.live(id); attempt != nullptr) {
    const Container& container = *lives_.find(attempt->container);
    if (container.state == ContainerState::Ready && container.occupants > 1) {
      turn_.act(StopAttempt{.attempt = {id, attempt->number}, .container = container.id});
    }
    lives_.set_part({id, attempt->number}, Part::Stopped);
    end(id, std::nullopt);
  }
  places_.leave(id);
  asks_.want(id, Placement::NewContainer);
}

void Attempts::end_unstarted() {
  batches_.forget();
  runs_.for_each([](Run& run) { run.join = {}; });
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      if (each.state == TaskState::Waiting) {
        lives_.move(each.id, TaskState::Stopped);
      }
      const Attempt* attempt = lives_.live(each.id);
      if (attempt != nullptr && attempt->generation.value == 0) {
        lives_.set_part({each.id, attempt->number}, Part::Stopped);
        end(each.id, std::nullopt);
      }
    }
  }
}

void Attempts::order_stop(TaskId id, StopReason reason, StopTimes times) {
  const Attempt& attempt = *lives_.live(id);
  turn_.act(StopAttempt{.attempt = {id, attempt.number},
                        .container = attempt.container,
                        .grace = times.grace,
                        .reason = reason,
                        .interrupt = times.interrupt});
}

void Attempts::stop_for_good(RoleIndex role, StopReason reason, StopTimes times) {
  if (lives_.tally(role).active == 0) {
    return;
  }
  for (const Task& each : lives_.state().tasks[role.value]) {
    const Attempt* attempt = lives_.live(each.id);
    if (attempt == nullptr || attempt->state == AttemptState::Stopping) {
      continue;
    }
    views_.left(each.id);
    lives_.tell_to_stop(each.id);
    order_stop(each.id, reason, times);
  }
}

void Attempts::stop_again(StopReason reason, StopTimes times) {
  for (const std::vector<Task>& role : lives_.state().tasks) {
    for (const Task& each : role) {
      const Attempt* attempt = lives_.live(each.id);
      if (attempt != nullptr && attempt->state == AttemptState::Stopping) {
        order_stop(each.id, reason, times);
      }
    }
  }
}

void Attempts::lose_containers_of(RoleIndex role) {
  for (const Task& each : lives_.state().tasks[role.value]) {
    if (const Attempt* attempt = lives_.live(each.id); attempt != nullptr) {
      // Nothing can fail any more, so nobody is to blame.
      (void)lose(*lives_.find(attempt->container), false, [&](TaskId id, const Attempt& lost) {
        return cause_of_loss(id, lost, LossReason::Silent, turn_.now);
      });
    }
  }
}

// ---- tasks that are not tried again

void Attempts::abandon(TaskId id, TaskState to) {
  roles_.set_given_up(id, false);
  asks_.withdraw(id);
  const uint32_t cohort = gangs_.of(id).cohort;
  gangs_.leave(id);
  places_.leave(id);
  roles_.note_started(id);
  lives_.move(id, to);
  roles_.ask_review();
  // Not at once: whatever made it give up may be about to end the job.
  gangs_.look_again(cohort);
}

void Attempts::make_final(TaskId id) {
  if (lives_.task(id).state == TaskState::Succeeded) {
    roles_.set_final(id, true);
    places_.leave(id);
  }
}

void Attempts::stop_growing(RoleIndex role) {
  std::vector<Move> moves;
  for (const Task& each : lives_.state().tasks[role.value]) {
    const Attempt* attempt = lives_.live(each.id);
    if (attempt == nullptr && each.state == TaskState::Waiting) {
      abandon(each.id, TaskState::Stopped);
    } else if (attempt != nullptr && attempt->generation.value == 0) {
      roles_.set_given_up(each.id, true);
      places_.set_leaves(each.id, true);
      gangs_.leave(each.id);
      moves.push_back({.task = each.id, .reason = StopReason::Shrink});
    }
  }
  tell_to_stop(moves);
}

void Attempts::saw(AttemptId id) {
  uint32_t& floor = runs_[id.task].number_floor;
  floor = std::max(floor, id.number);
}

}  // namespace muster::job
