#include "job/parts/lives.h"

#include "base/check.h"
#include "job/describe.h"
#include "job/parts/turn.h"

#include <algorithm>
#include <utility>

namespace muster::job {
namespace {

template <class S, size_t N>
void take(const std::array<Transition<S>, N>& table, std::array<uint32_t, N>& counts, S from,
          S to) {
  const size_t row = row_of(table, from, to);
  MUSTER_CHECK(row < N, "every change of a state stands in its table");
  ++counts[row];
}

bool told_to_start(const Attempt& attempt) { return attempt.generation.value != 0; }

bool start_awaited(const Attempt& attempt) {
  return told_to_start(attempt) && attempt.state == AttemptState::Joined;
}

uint32_t& count_of(Tally& tally, TaskState state, uint32_t& elsewhere) {
  switch (state) {
    case TaskState::Waiting:
      return elsewhere;
    case TaskState::Active:
      return tally.active;
    case TaskState::Succeeded:
      return tally.succeeded;
    case TaskState::Failed:
      return tally.failed;
    case TaskState::Stopped:
      return tally.stopped;
  }
  MUSTER_CHECK(false, "unknown TaskState");
}

}  // namespace

Lives::Lives(const Plan& plan, Turn& turn, State& state)
    : turn_(turn), state_(state), tallies_(plan.roles.size()) {
  for (size_t i = 0; i < plan.roles.size(); ++i) {
    std::vector<Task>& tasks = state_.tasks.emplace_back(plan.roles[i].tasks);
    for (uint32_t index = 0; index < tasks.size(); ++index) {
      tasks[index].id = {RoleIndex(static_cast<uint16_t>(i)), index};
    }
  }
}

bool Lives::knows(TaskId id) const {
  return id.role.value < state_.tasks.size() && id.index < state_.tasks[id.role.value].size();
}

const Attempt* Lives::live(TaskId id) const {
  const std::vector<Attempt>& attempts = task(id).attempts;
  if (attempts.empty() || attempts.back().state == AttemptState::Ended) {
    return nullptr;
  }
  return &attempts.back();
}

const Attempt* Lives::find_live(AttemptId id) const {
  const Attempt* attempt = knows(id.task) ? live(id.task) : nullptr;
  return attempt != nullptr && attempt->number == id.number ? attempt : nullptr;
}

const Container* Lives::find(const ContainerId& id) const {
  const auto found = state_.containers.find(id);
  return found == state_.containers.end() ? nullptr : &found->second;
}

void Lives::move(JobPhase to) {
  take(kPhaseTransitions, transitions_.phase, state_.phase, to);
  state_.phase = to;
  turn_.wait_changed = true;
}

const Container& Lives::grant(const ContainerGranted& granted) {
  Container& container = state_.containers[granted.container];
  container.id = granted.container;
  container.host = granted.host;
  container.granted = turn_.now;
  ++containers_open_;
  return container;
}

void Lives::assign(const Container& container, RoleIndex role, const std::vector<TaskId>& tasks) {
  edit(container).role = role;
  edit(container).tasks = tasks;
}

void Lives::move(const Container& container, ContainerState to) {
  take(kContainerTransitions, transitions_.container, container.state, to);
  edit(container).state = to;
  if (to == ContainerState::Gone) {
    --containers_open_;
    turn_.wait_changed = true;
  }
}

void Lives::ready(const Container& container, const std::string& agent_address) {
  edit(container).agent_address = agent_address;
  edit(container).ready = turn_.now;
  move(container, ContainerState::Ready);
}

void Lives::found_at(const Container& container, const std::string& agent_address) {
  edit(container).agent_address = agent_address;
}

void Lives::suspect(const Container& container, bool suspected) {
  edit(container).suspected = suspected;
}

void Lives::occupy(const Container& container) { ++edit(container).occupants; }

uint32_t Lives::vacate(const Container& container) {
  MUSTER_CHECK(container.occupants > 0, "a place that is left was somebody's");
  return --edit(container).occupants;
}

void Lives::place(TaskId id, const Container& where, uint32_t slot, uint32_t number) {
  Attempt& attempt = edit(id).attempts.emplace_back();
  attempt.number = number;
  attempt.container = where.id;
  attempt.host = where.host;
  attempt.slot = slot;
  attempt.placed = turn_.now;
  ++edit(where).live;
  move(id, TaskState::Active);
}

void Lives::join(TaskId id, const Address& address) {
  Attempt& attempt = edit(id).attempts.back();
  attempt.address = address;
  attempt.joined = turn_.now;
  move(id, attempt, AttemptState::Joined);
}

void Lives::tell_to_start(TaskId id, Generation generation) {
  Attempt& attempt = edit(id).attempts.back();
  if (!told_to_start(attempt)) {
    ++count(id).started;
    ++starts_awaited_;
  }
  attempt.generation = generation;
}

void Lives::run(TaskId id, int32_t pid) {
  Attempt& attempt = edit(id).attempts.back();
  attempt.pid = pid;
  attempt.started = turn_.now;
  if (attempt.state != AttemptState::Joined) {
    return;
  }
  move(id, attempt, AttemptState::Running);
  if (starts_awaited_ == 0) {
    state_.chronicle.reach("running", turn_.now);
  }
}

void Lives::tell_to_stop(TaskId id) { move(id, edit(id).attempts.back(), AttemptState::Stopping); }

const Container& Lives::end(TaskId id, std::optional<Exit> exit, TaskState to) {
  Attempt& attempt = edit(id).attempts.back();
  attempt.ended = turn_.now;
  attempt.exit = std::move(exit);
  move(id, attempt, AttemptState::Ended);
  std::erase_if(state_.endpoints, [&](const Endpoint& endpoint) {
    return endpoint.attempt == AttemptId{id, attempt.number};
  });
  Container& container = state_.containers.at(attempt.container);
  --container.live;
  move(id, to);
  return container;
}

void Lives::set_part(AttemptId id, Part part) {
  std::vector<Attempt>& attempts = edit(id.task).attempts;
  std::ranges::lower_bound(attempts, id.number, {}, &Attempt::number)->part = part;
}

void Lives::note_stall(const AttemptStalled& stalled) {
  std::vector<Attempt>& attempts = edit(stalled.attempt.task).attempts;
  Attempt& attempt =
      *std::ranges::lower_bound(attempts, stalled.attempt.number, {}, &Attempt::number);
  attempt.stall.reset();
  if (stalled.silent > Duration::zero()) {
    attempt.stall = StallNote{.at = turn_.now,
                              .silent = stalled.silent,
                              .sure = stalled.sure,
                              .place = stalled.place,
                              .evidence = stalled.evidence};
  }
}

void Lives::publish(const EndpointPublished& published) {
  std::erase_if(state_.endpoints, [&](const Endpoint& endpoint) {
    return endpoint.attempt.task == published.attempt.task && endpoint.name == published.name;
  });
  state_.endpoints.push_back({published.attempt, published.name, published.url});
}

void Lives::move(TaskId id, TaskState to) {
  Task& task = edit(id);
  take(kTaskTransitions, transitions_.task, task.state, to);
  uint32_t waiting = 1;
  --count_of(count(id), task.state, waiting);
  ++count_of(count(id), to, waiting);
  task.state = to;
}

void Lives::move(TaskId id, Attempt& attempt, AttemptState to) {
  take(kAttemptTransitions, transitions_.attempt, attempt.state, to);
  starts_awaited_ -= start_awaited(attempt) ? 1 : 0;
  count(id).started -= to == AttemptState::Ended && told_to_start(attempt) ? 1 : 0;
  attempt.state = to;
}

Tally Lives::sum() const {
  Tally sum;
  for (const Tally& each : tallies_) {
    sum.active += each.active;
    sum.succeeded += each.succeeded;
    sum.failed += each.failed;
    sum.stopped += each.stopped;
    sum.started += each.started;
  }
  return sum;
}

std::string Lives::what_must_end() const {
  const uint32_t live = sum().active;
  return live > 0 ? count_of(live, "task") + " to end"
                  : count_of(containers_open_, "container") + " to exit";
}

// lint: allow(unused) what the simulator recounts
bool Lives::tallies_hold() const {
  std::map<ContainerId, uint32_t> live_in;
  uint32_t awaited = 0;
  for (size_t i = 0; i < state_.tasks.size(); ++i) {
    Tally counted;
    for (const Task& task : state_.tasks[i]) {
      uint32_t waiting = 0;
      ++count_of(counted, task.state, waiting);
      if (const Attempt* attempt = live(task.id); attempt != nullptr) {
        ++live_in[attempt->container];
        counted.started += told_to_start(*attempt) ? 1 : 0;
        awaited += start_awaited(*attempt) ? 1 : 0;
      }
    }
    if (counted != tallies_[i]) {
      return false;
    }
  }
  const auto open = std::ranges::count_if(state_.containers, [](const auto& entry) {
    return entry.second.state != ContainerState::Gone;
  });
  return awaited == starts_awaited_ && static_cast<uint64_t>(open) == containers_open_ &&
         std::ranges::all_of(state_.containers, [&](const auto& entry) {
           return entry.second.live == live_in[entry.first];
         });
}

}  // namespace muster::job
