#include "job/describe.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>

/// Attempts: placed, prepared, joined, started, told to stop, ended.
namespace muster::job {

void Machine::Impl::place(TaskId id, Container& container, uint32_t slot) {
  Task& placed = task(id);
  Intent& next = intent(id);
  const uint32_t last = placed.attempts.empty() ? 0 : placed.attempts.back().number;
  Attempt& attempt = placed.attempts.emplace_back();
  attempt.number = std::max(last, next.number_floor) + 1;
  attempt.container = container.id;
  attempt.host = container.host;
  attempt.slot = slot;
  attempt.placed = now;
  next.wanted = false;
  next.leaves = false;
  if (!next.at_home) {
    next.at_home = true;
    ++container.occupants;
  }
  ++container.live;
  ++live;
  ++standing(id.role).live;
  move(placed, TaskState::Active);
  if (plan.deadlines.join) {
    next.join = set_deadline({.kind = DeadlineKind::Join,
                              .at = now + *plan.deadlines.join,
                              .waits_for = fmt::format("{} to join", to_string(plan, id)),
                              .task = id});
  }
  count_granted(id, true);
  if (container.state == ContainerState::Ready) {
    prepare(id, attempt);
  }
}

void Machine::Impl::prepare(TaskId id, Attempt& attempt) {
  const RolePlan& role = plan.role(id.role);
  const Task& prepared = task(id);
  PrepareAttempt action;
  action.attempt = {id, attempt.number};
  action.container = attempt.container;
  action.slot = attempt.slot;
  action.restarts = prepared.restarts;
  switch (plan.spec.checkpoint.resume) {
    case spec::Resume::Always:
      action.restore = true;
      break;
    case spec::Resume::Restarts:
      action.restore = state.last_commit.has_value();
      break;
    case spec::Resume::Never:
      break;
  }
  const bool keeps =
      role.membership == spec::Membership::Rejoin || !plan.gives_new_ports_on_restart;
  if (keeps && !intent(id).new_ports && prepared.attempts.size() > 1) {
    const Attempt& before = prepared.attempts[prepared.attempts.size() - 2];
    action.keep_port = before.host == attempt.host ? before.address.port : 0;
  }
  emit(std::move(action));
}

void Machine::Impl::on(const AttemptJoined& fact) {
  Attempt* attempt = find_live(fact.attempt);
  if (attempt != nullptr) {
    joined(fact.attempt.task, *attempt, fact.address);
  }
}

void Machine::Impl::joined(TaskId id, Attempt& attempt, const Address& address) {
  if (attempt.state != AttemptState::Placed) {
    return;
  }
  Intent& next = intent(id);
  attempt.address = address;
  attempt.joined = now;
  move(attempt, AttemptState::Joined);
  clear(next.join);
  next.new_ports = false;
  count_joined(id, true);
  const auto cohort = cohorts.find(next.cohort);
  const bool alone = cohort != cohorts.end() && !cohort->second.gang;
  if (alone && plan.role(id.role).membership == spec::Membership::Rejoin &&
      plan.barrier == spec::Barrier::Gang && !keeps_address(id, address)) {
    // The others know it elsewhere: they start again, too, with a new view.
    regroup({}, id);
  }
  open_if_complete(next.cohort);
}

void Machine::Impl::on(const AttemptStarted& fact) {
  Attempt* attempt = find_live(fact.attempt);
  if (attempt == nullptr || attempt->generation.value == 0 || attempt->pid != 0 ||
      attempt->state == AttemptState::Running) {
    return;
  }
  attempt->pid = fact.pid;
  attempt->started = now;
  note_started(fact.attempt.task);
  if (attempt->state != AttemptState::Joined) {
    return;
  }
  move(*attempt, AttemptState::Running);
  if (--starts_awaited == 0) {
    step("running");
  }
}

void Machine::Impl::note_started(TaskId id) {
  Intent& next = intent(id);
  if (next.ever_started) {
    return;
  }
  next.ever_started = true;
  const uint32_t started = ++standing(id.role).started;
  const RolePlan& role = plan.role(id.role);
  review_due = review_due || started == role.tasks || started == role.tasks_min;
}

void Machine::Impl::on(const AttemptEnded& fact) {
  Attempt* attempt = find_live(fact.attempt);
  if (attempt != nullptr) {
    take_in_end(fact.attempt.task, *attempt, fact.exit);
  }
}

void Machine::Impl::take_in_end(TaskId id, Attempt& attempt, const Exit& exit) {
  const bool told = attempt.state == AttemptState::Stopping;
  const bool was_started = attempt.generation.value != 0;
  if (was_started) {
    note_started(id);
  }
  const bool well = exit.succeeded() && was_started && !told;
  end(id, attempt, exit, well ? TaskState::Succeeded : TaskState::Waiting);
  if (told || stopping()) {
    stopped_as_told(id, attempt);
    return;
  }
  if (!exit.succeeded()) {
    failed(cause_of_exit(id, attempt, exit, now));
    return;
  }
  if (!was_started) {
    // Nothing that was never told to start can have succeeded.
    failed(cause_of_vanishing(id, attempt, now));
    return;
  }
  succeeded(id);
}

// The bookkeeping of every end, whatever its reason; what follows from it is the caller's.
void Machine::Impl::end(TaskId id, Attempt& attempt, std::optional<Exit> exit, TaskState to) {
  Intent& next = intent(id);
  Standing& role = standing(id.role);
  count_joined(id, false);
  count_granted(id, false);
  clear(next.join);
  if (attempt.generation.value != 0) {
    --live_started;
    --role.live_started;
    starts_awaited -= attempt.state == AttemptState::Joined ? 1 : 0;
    departed.push_back(id);
  }
  attempt.ended = now;
  attempt.exit = std::move(exit);
  move(attempt, AttemptState::Ended);
  --live;
  --role.live;
  if (const auto batch = stop_batches.find(next.stop_batch); batch != stop_batches.end()) {
    if (--batch->second.remaining == 0) {
      clear(batch->second.deadline);
      stop_batches.erase(batch);
    }
  }
  next.stop_batch = 0;
  std::erase_if(state.endpoints, [&](const Endpoint& endpoint) {
    return endpoint.attempt == AttemptId{id, attempt.number};
  });
  Container& container = *find_container(attempt.container);
  --container.live;
  move(task(id), stopping() ? TaskState::Stopped : to);
  const bool drained = container.state == ContainerState::Draining && container.live == 0;
  if (next.leaves) {
    leave_home(id);
    // Those that leave the same place ask for their next one together.
    pokes.insert(pokes.end(), container.tasks.begin(), container.tasks.end());
  }
  if (drained) {
    emit(ReleaseContainer{container.id});
  } else if (container.live == 0 && stopping() && container.state != ContainerState::Gone) {
    drain(container);
  }
  wait_changed = true;
  note_leaving(id);
  poke(id);
}

// An attempt that was told to stop, or that the job's end overtook, has ended.
void Machine::Impl::stopped_as_told(TaskId id, Attempt& attempt) {
  const Failure* failure =
      attempt.exit && attempt.exit->failure ? &*attempt.exit->failure : nullptr;
  attempt.part =
      failure != nullptr && failure->kind == FailureKind::PeerLoss ? Part::Victim : Part::Stopped;
  if (stopping()) {
    return;
  }
  Intent& next = intent(id);
  if (next.given_up) {
    abandon(id, TaskState::Stopped);
    return;
  }
  if (failure != nullptr && failure->kind == FailureKind::User &&
      failure->remedy == Remedy::GiveUp) {
    // It failed by itself before the stop reached it, and would fail again.
    failed(cause_of_exit(id, attempt, *attempt.exit, now));
    return;
  }
  if (!next.wanted && standing(id.role).asked) {
    want(id, Placement::SameSlot);
  }
}

// Attempts that never reached an agent end here and now; the others are asked to.
void Machine::Impl::tell_to_stop(std::span<const Move> moves) {
  StopBatch batch;
  Duration grace_max{};
  const uint32_t batch_id = ++batch_count;
  for (const Move& told : moves) {
    Attempt* attempt = live_attempt(told.task);
    if (attempt == nullptr || attempt->state == AttemptState::Stopping) {
      continue;
    }
    Intent& next = intent(told.task);
    const Container& container = *find_container(attempt->container);
    if (container.state == ContainerState::Launching) {
      end(told.task, *attempt, std::nullopt);
      stopped_as_told(told.task, *attempt);
      continue;
    }
    count_joined(told.task, false);
    count_granted(told.task, false);
    clear(next.join);
    if (attempt->generation.value != 0) {
      starts_awaited -= attempt->state == AttemptState::Joined ? 1 : 0;
      departed.push_back(told.task);
    }
    move(*attempt, AttemptState::Stopping);
    next.stop_batch = batch_id;
    batch.attempts.push_back({told.task, attempt->number});
    grace_max = std::max(grace_max, told.grace);
    emit(StopAttempt{.attempt = {told.task, attempt->number},
                     .container = attempt->container,
                     .grace = told.grace,
                     .reason = told.reason});
  }
  if (batch.attempts.empty()) {
    return;
  }
  batch.remaining = static_cast<uint32_t>(batch.attempts.size());
  batch.deadline = set_deadline({.kind = DeadlineKind::Stop,
                                 .at = now + grace_max + plan.liveness.lost,
                                 .waits_for = count_of(batch.remaining, "task") + " to end",
                                 .number = batch_id});
  stop_batches.emplace(batch_id, std::move(batch));
}

void Machine::Impl::on(const AttemptStalled&) {}

void Machine::Impl::on(const CheckpointCommitted& commit) {
  const Attempt* attempt = state.find_attempt(commit.attempt);
  if (attempt != nullptr && attempt->generation.value != 0 &&
      commit.generation == state.generation) {
    state.last_commit = commit;
  }
}

void Machine::Impl::on(const EndpointPublished& published) {
  if (find_live(published.attempt) == nullptr) {
    return;
  }
  std::erase_if(state.endpoints, [&](const Endpoint& endpoint) {
    return endpoint.attempt.task == published.attempt.task && endpoint.name == published.name;
  });
  state.endpoints.push_back({published.attempt, published.name, published.url});
}

}  // namespace muster::job
