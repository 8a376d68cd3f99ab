#include "job/parts/ending.h"

#include "base/overloaded.h"
#include "job/chronicle.h"
#include "job/parts/lives.h"
#include "job/parts/order.h"
#include "job/parts/places.h"
#include "job/parts/turn.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::job {
namespace {

/// From TERM to KILL for a program that has ignored INT for its whole grace period.
constexpr Duration kTermAfterInterrupt = std::chrono::seconds(5);

}  // namespace

Ending::Ending(const Deps& deps, Places& places, Attempts& attempts,
               std::optional<Outcome>& outcome, Time& ended)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      chronicle_(deps.chronicle),
      places_(places),
      attempts_(attempts),
      outcome_(outcome),
      ended_(ended),
      levels_(levels_of(deps.plan)) {}

void Ending::ask(StopHow how) {
  const bool hastened = how_ == StopHow::Interrupt && how == StopHow::Terminate;
  if (!outcome_) {
    how_ = how;
  } else if (hastened) {
    how_ = how;
    attempts_.stop_again(reason(), stop_times());
    watch_stop();
  }
}

StopTimes Ending::stop_times() const {
  const Duration usual = plan_.deadlines.stop;
  return how_ == StopHow::Interrupt
             ? StopTimes{.interrupt = usual, .grace = usual + std::min(usual, kTermAfterInterrupt)}
             : StopTimes{.interrupt = {}, .grace = usual};
}

void Ending::watch_run() {
  if (plan_.deadlines.run && !run_.is_set()) {
    run_ = timers_.set(RunTimer{}, turn_.now + *plan_.deadlines.run, "the job to end");
  }
}

void Ending::begin(Outcome outcome) {
  outcome_ = std::move(outcome);
  // The fact that ends the job may have had others prepared first.
  std::erase_if(turn_.actions, [](const Action& action) {
    return std::holds_alternative<PrepareAttempt>(action);
  });
  attempts_.end_unstarted();
  for (const auto& [id, container] : lives_.state().containers) {
    if (container.live == 0) {
      places_.drain(container);
    }
  }
  level_ = levels_.empty() ? 0 : std::ranges::max(levels_);
  stop_next_level();
}

uint32_t Ending::live_in_level() const {
  uint32_t count = 0;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const RoleIndex role(static_cast<uint16_t>(i));
    count += levels_[i] == level_ ? lives_.tally(role).active : 0;
  }
  return count;
}

// Those that rely on others stop first, then those they relied on.
void Ending::stop_next_level() {
  while (level_ > 0 && live_in_level() == 0) {
    --level_;
  }
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i] == level_) {
      attempts_.stop_for_good(RoleIndex(static_cast<uint16_t>(i)), reason(), stop_times());
    }
  }
  watch_stop();
}

StopReason Ending::reason() const {
  return outcome_->reason == OutcomeReason::StoppedByUser ? StopReason::UserStop
                                                          : StopReason::JobEnds;
}

void Ending::watch_stop() {
  timers_.clear(stop_);
  if (lives_.containers_open() > 0) {
    stop_ = timers_.set(EndTimer{}, turn_.now + stop_times().grace + plan_.liveness.lost,
                        lives_.what_must_end());
  }
}

void Ending::advance() {
  if (lives_.containers_open() == 0) {
    finish();
    return;
  }
  if (lives_.sum().active > 0 && live_in_level() == 0) {
    stop_next_level();
  }
}

void Ending::stop_passed() {
  stop_ = {};
  if (lives_.sum().active == 0) {
    finish();
    return;
  }
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i] == level_) {
      attempts_.lose_containers_of(RoleIndex(static_cast<uint16_t>(i)));
    }
  }
  stop_next_level();
}

void Ending::finish() {
  timers_.clear(stop_);
  lives_.move(JobPhase::Ended);
  ended_ = turn_.now;
  chronicle_.reach("ended", turn_.now);
  turn_.act(Finish{*outcome_});
}

void Ending::after_the_end(const Fact& fact) const {
  const auto release = [&](const ContainerId& id) { turn_.act(ReleaseContainer{id}); };
  std::visit(Overloaded{
                 [&](const ContainerGranted& granted) { release(granted.container); },
                 [&](const AgentJoined& joined) { release(joined.container); },
                 [&](const AgentReported& reported) { release(reported.container); },
                 [&](const MasterRecovered&) {
                   for (const auto& [id, container] : lives_.state().containers) {
                     if (container.state != ContainerState::Gone) {
                       release(id);
                     }
                   }
                   turn_.act(Finish{*outcome_});
                 },
                 [](const OneOf<JobStarted, RequestRefused, LaunchFailed, AgentSuspected, AgentLost,
                                AttemptJoined, AttemptStarted, AttemptEnded, AttemptStalled,
                                ContainerEnded, CheckpointCommitted, EndpointPublished,
                                HostReported, HeadroomReported, PreemptionNoticed, DeadlinePassed,
                                StopAsked, SessionOpened, SessionDetached, NoticeTold> auto&) {},
             },
             fact);
}

}  // namespace muster::job
