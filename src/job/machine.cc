#include "job/machine.h"

#include "base/check.h"
#include "job/machine_impl.h"
#include "job/transition.h"

#include <algorithm>
#include <utility>

namespace muster::job {

Machine::Machine(Plan plan) : impl_(std::make_unique<Impl>(std::move(plan))) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

const Plan& Machine::plan() const { return impl_->plan; }
const State& Machine::state() const { return impl_->state; }
const TransitionCounts& Machine::transitions() const { return impl_->transitions; }

std::vector<Action> Machine::apply(Time now, const Fact& fact) {
  Impl& inside = *impl_;
  inside.now = std::max(inside.now, now);
  inside.state.restarted.reset();
  if (inside.state.phase == JobPhase::Ended) {
    inside.after_the_end(fact);
  } else {
    std::visit([&](const auto& happened) { inside.on(happened); }, fact);
    inside.conclude();
  }
  return std::exchange(inside.out, {});
}

bool Machine::may_commit(AttemptId attempt, Generation generation) const {
  const Attempt* found = impl_->state.find_attempt(attempt);
  if (found == nullptr || found->generation.value == 0 || found->state == AttemptState::Ended) {
    return false;
  }
  return generation == impl_->state.generation && impl_->state.phase != JobPhase::Ended;
}

Machine::Impl::Impl(Plan the_plan) : plan(std::move(the_plan)), levels(levels_of(plan)) {
  for (size_t i = 0; i < plan.roles.size(); ++i) {
    const RolePlan& role = plan.roles[i];
    standings.push_back({.success = role.success, .failure = role.failure});
    intents.emplace_back(role.tasks);
    std::vector<Task>& tasks = state.tasks.emplace_back(role.tasks);
    for (uint32_t index = 0; index < role.tasks; ++index) {
      tasks[index].id = {RoleIndex(static_cast<uint16_t>(i)), index};
    }
  }
}

void Machine::Impl::on(const JobStarted&) {
  if (began || stopping()) {
    return;
  }
  began = true;
  state.started = now;
  review_due = true;
}

// A fact is taken in; then what it led to is followed up until nothing more is due.
void Machine::Impl::conclude() {
  while (!stopping()) {
    if (decided) {
      begin_stop();
    } else if (review_due) {
      review_due = false;
      review();
    } else if (!openings.empty()) {
      for (const uint32_t cohort : std::exchange(openings, {})) {
        open_if_complete(cohort);
      }
    } else if (!pokes.empty()) {
      run_pokes();
    } else {
      break;
    }
  }
  pokes.clear();
  openings.clear();
  if (state.phase == JobPhase::Stopping) {
    advance_stop();
  }
  if (wait_changed) {
    wait_changed = false;
    describe_wait();
  }
}

Attempt* Machine::Impl::live_attempt(TaskId id) {
  std::vector<Attempt>& attempts = task(id).attempts;
  if (attempts.empty() || attempts.back().state == AttemptState::Ended) {
    return nullptr;
  }
  return &attempts.back();
}

Attempt* Machine::Impl::find_live(AttemptId id) {
  if (id.task.role.value >= state.tasks.size() ||
      id.task.index >= state.tasks[id.task.role.value].size()) {
    return nullptr;
  }
  Attempt* attempt = live_attempt(id.task);
  return attempt != nullptr && attempt->number == id.number ? attempt : nullptr;
}

Container* Machine::Impl::find_container(const ContainerId& id) {
  const auto found = state.containers.find(id);
  return found == state.containers.end() ? nullptr : &found->second;
}

namespace {

template <class S, size_t N>
void take(const std::array<Transition<S>, N>& table, std::array<uint32_t, N>& counts, S from,
          S to) {
  const size_t row = row_of(table, from, to);
  MUSTER_CHECK(row < N, "every change of a state stands in its table");
  ++counts[row];
}

}  // namespace

void Machine::Impl::move(Container& container, ContainerState to) {
  take(kContainerTransitions, transitions.container, container.state, to);
  container.state = to;
  if (to == ContainerState::Gone) {
    --containers_open;
    wait_changed = true;
  }
}

void Machine::Impl::move(Attempt& attempt, AttemptState to) {
  take(kAttemptTransitions, transitions.attempt, attempt.state, to);
  attempt.state = to;
}

void Machine::Impl::move(Task& moved, TaskState to) {
  take(kTaskTransitions, transitions.task, moved.state, to);
  Standing& role = standing(moved.id.role);
  const auto count = [&](TaskState counted, uint32_t& tally) {
    tally += (to == counted ? 1U : 0U) - (moved.state == counted ? 1U : 0U);
  };
  count(TaskState::Succeeded, role.succeeded);
  count(TaskState::Failed, role.failed);
  count(TaskState::Stopped, role.stopped);
  moved.state = to;
}

void Machine::Impl::move(JobPhase to) {
  take(kPhaseTransitions, transitions.phase, state.phase, to);
  state.phase = to;
  wait_changed = true;
}

// Only the first time counts: the time line shows how the job started, restarts show in the
// attempts.
void Machine::Impl::step(std::string_view name) {
  if (std::ranges::find(state.steps, name, &Step::name) == state.steps.end()) {
    state.steps.push_back({std::string(name), now});
  }
}

}  // namespace muster::job
