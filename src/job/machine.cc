#include "job/machine.h"

#include "base/overloaded.h"
#include "job/parts/attempt_facts.h"
#include "job/parts/barriers.h"
#include "job/parts/container_facts.h"
#include "job/parts/deadline_facts.h"
#include "job/parts/digest.h"
#include "job/parts/machine_parts.h"
#include "job/parts/settling.h"
#include "job/parts/takeover.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::job {

/// Hands each fact to the parts that know what it means, then has its consequences settled.
class Machine::Impl {
 public:
  explicit Impl(Plan plan) : plan_(std::move(plan)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::vector<Action> apply(Time now, const Fact& fact);
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const MachineParts& parts() const { return parts_; }

 private:
  void take_in(const Fact& fact);
  void take(const AttemptEnded& ended);
  void take(const AttemptStalled& stalled);
  void take(const CheckpointCommitted& commit);
  void take(const StopAsked& asked);
  void begin();

  Plan plan_;
  MachineParts parts_{plan_};
  Barriers barriers_{parts_};
  AttemptFacts attempt_facts_{parts_, barriers_};
  ContainerFacts container_facts_{parts_};
  DeadlineFacts deadline_facts_{parts_, attempt_facts_};
  Takeover takeover_{parts_, attempt_facts_};
  Settling settling_{parts_, barriers_};
};

Machine::Machine(Plan plan) : impl_(std::make_unique<Impl>(std::move(plan))) {}
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;
Machine::~Machine() = default;

std::vector<Action> Machine::apply(Time now, const Fact& fact) { return impl_->apply(now, fact); }
const Plan& Machine::plan() const { return impl_->plan(); }
const State& Machine::state() const { return impl_->parts().state; }
const TransitionCounts& Machine::transitions() const { return impl_->parts().lives.transitions(); }
// lint: allow(unused) what the simulator recounts
bool Machine::tallies_hold() const { return impl_->parts().tallies_hold(); }
uint64_t Machine::digest() const { return digest_of(impl_->parts()); }

bool Machine::may_commit(AttemptId attempt, Generation generation) const {
  const Attempt* found = state().find_attempt(attempt);
  if (found == nullptr || found->generation.value == 0 || found->state == AttemptState::Ended) {
    return false;
  }
  return generation == state().view.generation && state().phase != JobPhase::Ended;
}

std::vector<Action> Machine::Impl::apply(Time now, const Fact& fact) {
  State& state = parts_.state;
  Turn& turn = parts_.turn;
  turn.now = std::max(turn.now, now);
  state.chronicle.begin_fact();
  if (const auto* told = std::get_if<NoticeTold>(&fact)) {
    state.chronicle.take(*told);
  }
  if (state.phase == JobPhase::Ended) {
    parts_.ending.after_the_end(fact);
  } else {
    take_in(fact);
    settling_.settle();
    state.chronicle.end_fact(state.outcome);
  }
  return std::exchange(turn.actions, {});
}

// Facts about an attempt count only while it is the live one of its task.
void Machine::Impl::take_in(const Fact& fact) {
  const auto lives = [this](AttemptId id) { return parts_.lives.find_live(id) != nullptr; };
  std::visit(
      Overloaded{
          [&](const JobStarted&) { begin(); },
          [&](const OneOf<ContainerGranted, RequestRefused, LaunchFailed, AgentJoined,
                          AgentSuspected, AgentLost, ContainerEnded, HostReported> auto& f) {
            container_facts_.take(f);
          },
          [&](const OneOf<AgentReported, MasterRecovered> auto& f) { takeover_.take(f); },
          [&](const AttemptJoined& f) {
            if (lives(f.attempt)) {
              attempt_facts_.joined(f.attempt.task, f.address);
            }
          },
          [&](const AttemptStarted& f) {
            if (lives(f.attempt)) {
              parts_.attempts.started(f.attempt.task, f.pid);
            }
          },
          [&](const EndpointPublished& f) {
            if (lives(f.attempt)) {
              parts_.lives.publish(f);
            }
          },
          [&](const OneOf<AttemptEnded, AttemptStalled, CheckpointCommitted, StopAsked> auto& f) {
            take(f);
          },
          [&](const HeadroomReported& f) {
            parts_.state.headroom = f;
            parts_.asks.cluster_has(f.hosts);
          },
          [&](const PreemptionNoticed& f) { parts_.failures.preempted(f); },
          [&](const DeadlinePassed& f) { deadline_facts_.take(f); },
          [](const SessionOpened&) {},    // Shown.
          [](const SessionDetached&) {},  // Shown.
          [](const NoticeTold&) {},       // Taken in before, in any phase.
      },
      fact);
}

void Machine::Impl::begin() {
  if (!parts_.lives.stopping() && parts_.roles.begin()) {
    parts_.state.started = parts_.turn.now;
  }
}

void Machine::Impl::take(const AttemptEnded& ended) {
  const AttemptId id = ended.attempt;
  if (parts_.lives.find_live(id) != nullptr) {
    attempt_facts_.pass_on(id.task, parts_.attempts.ended(id.task, ended.exit));
  }
  parts_.attempts.ended_unheard(id);
}

void Machine::Impl::take(const AttemptStalled& stalled) {
  if (parts_.lives.find_live(stalled.attempt) != nullptr) {
    parts_.lives.note_stall(stalled);
    parts_.failures.stalled(stalled);
  }
}

void Machine::Impl::take(const CheckpointCommitted& commit) {
  State& state = parts_.state;
  const Attempt* attempt = state.find_attempt(commit.attempt);
  if (attempt != nullptr && attempt->generation.value != 0 &&
      commit.generation == state.view.generation) {
    state.last_commit = commit;
  }
}

void Machine::Impl::take(const StopAsked& asked) {
  if (parts_.state.stop_asked_by.empty()) {
    parts_.state.stop_asked_by = asked.by;
  }
  parts_.ending.ask(asked.how);
  if (parts_.lives.stopping() || parts_.roles.decided()) {
    return;
  }
  parts_.roles.decide({.result = JobResult::Stopped,
                       .reason = OutcomeReason::StoppedByUser,
                       .class_name = "stop.user",
                       .message = fmt::format("stopped by {}", asked.by),
                       .first_cause = std::nullopt});
}

}  // namespace muster::job
