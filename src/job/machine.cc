#include "job/machine.h"

#include "base/overloaded.h"
#include "job/admission.h"
#include "job/machine_impl.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::job {

Machine::Machine(Plan plan) : impl_(std::make_unique<Impl>(std::move(plan))) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

std::vector<Action> Machine::apply(Time now, const Fact& fact) { return impl_->apply(now, fact); }
const Plan& Machine::plan() const { return impl_->plan(); }
const State& Machine::state() const { return impl_->state(); }
const TransitionCounts& Machine::transitions() const { return impl_->transitions(); }
bool Machine::tallies_hold() const { return impl_->tallies_hold(); }
uint64_t Machine::digest() const { return impl_->digest(); }

bool Machine::may_commit(AttemptId attempt, Generation generation) const {
  const State& state = impl_->state();
  const Attempt* found = state.find_attempt(attempt);
  if (found == nullptr || found->generation.value == 0 || found->state == AttemptState::Ended) {
    return false;
  }
  return generation == state.generation && state.phase != JobPhase::Ended;
}

Machine::Impl::Impl(Plan plan)
    : plan_(std::move(plan)),
      timers_(turn_),
      lives_(plan_, turn_, state_),
      roles_(deps()),
      blame_(deps()),
      views_(deps(), state_.generation, state_.view),
      gangs_(deps(), views_),
      places_(deps(), gangs_),
      asks_(deps(), gangs_, places_, state_.requests),
      fence_(deps()),
      attempts_(deps(), roles_, views_, gangs_, places_, asks_, fence_),
      restarts_(deps(), roles_, gangs_, places_, asks_, attempts_, blame_),
      failures_(deps(), roles_, asks_, attempts_, blame_, restarts_),
      ending_(deps(), places_, attempts_, state_.outcome, state_.ended) {}

std::vector<Action> Machine::Impl::apply(Time now, const Fact& fact) {
  turn_.now = std::max(turn_.now, now);
  state_.restarted.reset();
  state_.unconfirmed.clear();
  if (const auto* told = std::get_if<NoticeTold>(&fact)) {
    lives_.take_notice(*told);
  }
  if (state_.phase == JobPhase::Ended) {
    ending_.after_the_end(fact);
  } else {
    take_in(fact);
    settle();
    lives_.keep_first_cause();
  }
  return std::exchange(turn_.actions, {});
}

void Machine::Impl::take_in(const Fact& fact) {
  const auto with_live = [&](AttemptId id, auto then) {
    if (lives_.find_live(id) != nullptr) {
      then();
    }
  };
  std::visit(
      Overloaded{
          [&](const JobStarted&) { begin(); },
          [&](const ContainerGranted& f) { granted(f); },
          [&](const RequestRefused& f) { refused(f); },
          [&](const LaunchFailed& f) { launch_failed(f); },
          [&](const AgentJoined& f) { agent_joined(f); },
          [&](const AgentReported& f) { reported(f); },
          [&](const AgentSuspected& f) { suspected(f); },
          [&](const AgentLost& f) { agent_lost(f); },
          [&](const AttemptJoined& f) {
            with_live(f.attempt, [&] { joined(f.attempt.task, f.address); });
          },
          [&](const AttemptStarted& f) {
            with_live(f.attempt, [&] { attempts_.started(f.attempt.task, f.pid); });
          },
          [&](const AttemptEnded& f) {
            with_live(f.attempt,
                      [&] { pass_on(f.attempt.task, attempts_.ended(f.attempt.task, f.exit)); });
            attempts_.ended_unheard(f.attempt);
          },
          [&](const AttemptStalled& f) {
            with_live(f.attempt, [&] {
              lives_.note_stall(f);
              failures_.stalled(f);
            });
          },
          [&](const ContainerEnded& f) { container_ended(f); },
          [&](const CheckpointCommitted& f) { committed(f); },
          [&](const EndpointPublished& f) { with_live(f.attempt, [&] { lives_.publish(f); }); },
          [&](const HostReported& f) { host_reported(f); },
          [&](const HeadroomReported& f) {
            state_.headroom = f;
            asks_.cluster_has(f.hosts);
          },
          [&](const PreemptionNoticed& f) { failures_.preempted(f); },
          [&](const DeadlinePassed& f) { passed(f.deadline); },
          [&](const StopAsked& f) { stop_asked(f); },
          [&](const MasterRecovered& f) { recovered(f); },
          [](const SessionOpened&) {},    // Shown.
          [](const SessionDetached&) {},  // Shown.
          [](const NoticeTold&) {},       // Taken in before, in any phase.
      },
      fact);
}

// What the fact led to is followed up until nothing more is due.
void Machine::Impl::settle() {
  while (!lives_.stopping()) {
    if (roles_.decided()) {
      begin_stop();
    } else if (roles_.take_review()) {
      review();
    } else if (const auto openings = gangs_.take_openings(); !openings.empty()) {
      std::ranges::for_each(openings, [&](uint32_t cohort) { open_if_complete(cohort); });
    } else if (const auto pokes = asks_.take_pokes(); !pokes.empty()) {
      serve(pokes);
    } else {
      break;
    }
  }
  (void)asks_.take_pokes();
  (void)gangs_.take_openings();
  if (state_.phase == JobPhase::Stopping) {
    ending_.advance();
  }
  if (std::exchange(turn_.wait_changed, false)) {
    describe_wait();
  }
}

void Machine::Impl::begin() {
  if (!lives_.stopping() && roles_.begin()) {
    state_.started = turn_.now;
  }
}

// Has the job ended? Which roles may be asked for now?
void Machine::Impl::review() {
  if (!roles_.began()) {
    return;
  }
  const Roles::Completion completion = roles_.review_completion();
  if (completion.failed_by) {
    failures_.fail_job(*completion.failed_by, "every task that the job waits for failed");
  }
  if (completion.over) {
    return;
  }
  if (!restarts_.waits_to_start_over()) {
    Admission(deps(), roles_, gangs_, asks_, attempts_).admit_ready();
  }
  roles_.review_group_deadlines();
}

void Machine::Impl::open_if_complete(uint32_t cohort) {
  if (lives_.stopping() || roles_.decided() || is_fenced(cohort)) {
    return;
  }
  const auto returns = [&](TaskId id) {
    return places_.of(id).at_home && asks_.of(id).placement == Placement::SameSlot;
  };
  switch (gangs_.look_at(cohort, returns)) {
    case Gangs::Barrier::Shut:
      return;
    case Gangs::Barrier::JoinsAGang:
      if (restarts_.regroup({})) {
        return;
      }
      break;
    case Gangs::Barrier::Complete:
      break;
  }
  gangs_.open(cohort);
  for (const TaskId id : roles_.close_generation()) {
    attempts_.make_final(id);
  }
  ending_.watch_run();
  if (state_.phase == JobPhase::Gathering && !gangs_.gang_waits()) {
    lives_.move(JobPhase::Running);
  }
}

// Whether somebody who would start now has an earlier attempt that may live on.
bool Machine::Impl::is_fenced(uint32_t cohort_id) const {
  const Cohort* cohort = gangs_.find(cohort_id);
  return cohort != nullptr && std::ranges::any_of(cohort->tasks, [&](TaskId id) {
           return gangs_.of(id).cohort == cohort_id && gangs_.of(id).joined && fence_.holds(id);
         });
}

// Tasks that want an attempt are placed where they were, or asked for.
void Machine::Impl::serve(const std::vector<TaskId>& pokes) {
  std::vector<TaskId> asking;
  for (const TaskId id : pokes) {
    switch (asks_.next_step(id)) {
      case Asks::Step::Nothing:
        break;
      case Asks::Step::Place: {
        const Attempt& last = lives_.task(id).attempts.back();
        attempts_.place(id, *lives_.find(last.container), last.slot);
        break;
      }
      case Asks::Step::AskContainer:
        places_.leave(id);
        if (!asks_.waits_for_mates(id)) {
          asking.push_back(id);
        }
        break;
    }
  }
  asks_.ask_for(std::move(asking));
}

void Machine::Impl::begin_stop() {
  lives_.move(JobPhase::Stopping);
  timers_.clear_all();
  blame_.forget();
  gangs_.forget();
  // Given back once more: how they end matters to nobody now.
  for (const ContainerId& lost : fence_.forget()) {
    if (std::ranges::find(turn_.actions, Action(ReleaseContainer{lost})) == turn_.actions.end()) {
      turn_.act(ReleaseContainer{lost});
    }
  }
  asks_.cancel_all();
  places_.stay();
  ending_.begin(*roles_.take_decision());
}

void Machine::Impl::describe_wait() {
  if (state_.phase == JobPhase::Stopping) {
    state_.waits_for = lives_.what_must_end();
    return;
  }
  const std::string* restart = timers_.restart_wait();
  state_.waits_for = restart != nullptr ? *restart : wait_of_the_fenced();
  if (state_.waits_for.empty()) {
    state_.waits_for = gangs_.lack();
  }
}

std::string Machine::Impl::wait_of_the_fenced() const {
  for (const AttemptId& old : fence_.watched()) {
    if (gangs_.of(old.task).joined) {
      return fence_.wait_of(old.task);
    }
  }
  return {};
}

bool Machine::Impl::tallies_hold() const {
  return lives_.tallies_hold() && roles_.tallies_hold() && gangs_.tallies_hold() &&
         places_.tallies_hold() && fence_.tallies_hold();
}

}  // namespace muster::job
