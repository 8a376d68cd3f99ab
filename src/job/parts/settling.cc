#include "job/parts/settling.h"

#include "job/parts/admission.h"
#include "job/parts/barriers.h"
#include "job/parts/machine_parts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace muster::job {

// Follows up the consequences of the fact until nothing more is due.
void Settling::settle() {
  while (!parts_.lives.stopping()) {
    if (parts_.roles.decided()) {
      begin_stop();
    } else if (parts_.roles.take_review()) {
      review();
    } else if (const auto openings = parts_.gangs.take_openings(); !openings.empty()) {
      std::ranges::for_each(openings, [&](uint32_t cohort) { barriers_.open_if_complete(cohort); });
    } else if (const auto pokes = parts_.asks.take_pokes(); !pokes.empty()) {
      serve(pokes);
    } else {
      break;
    }
  }
  (void)parts_.asks.take_pokes();
  (void)parts_.gangs.take_openings();
  if (parts_.lives.state().phase == JobPhase::Stopping) {
    parts_.ending.advance();
  }
  if (std::exchange(parts_.turn.wait_changed, false)) {
    describe_wait();
  }
}

// Decides whether the job has ended and which roles may be requested now.
void Settling::review() {
  if (!parts_.roles.began()) {
    return;
  }
  const Roles::Completion completion = parts_.roles.review_completion();
  if (completion.failed_by) {
    parts_.failures.fail_job(*completion.failed_by, "every task that the job waits for failed");
  }
  if (completion.over) {
    return;
  }
  if (!parts_.restarts.waits_to_start_over()) {
    Admission(parts_.deps(), parts_.roles, parts_.gangs, parts_.asks, parts_.attempts)
        .admit_ready();
  }
  parts_.roles.review_group_deadlines();
}

// Tasks that want an attempt are placed where they were, or containers are requested for them.
void Settling::serve(const std::vector<TaskId>& pokes) {
  std::vector<TaskId> asking;
  for (const TaskId id : pokes) {
    switch (parts_.asks.next_step(id)) {
      case Asks::Step::Nothing:
        break;
      case Asks::Step::Place: {
        const Attempt& last = parts_.lives.task(id).attempts.back();
        parts_.attempts.place(id, *parts_.lives.find(last.container), last.slot);
        break;
      }
      case Asks::Step::AskContainer:
        parts_.places.leave(id);
        if (!parts_.asks.waits_for_mates(id)) {
          asking.push_back(id);
        }
        break;
    }
  }
  parts_.asks.ask_for(std::move(asking));
}

void Settling::begin_stop() {
  parts_.lives.move(JobPhase::Stopping);
  parts_.timers.clear_all();
  parts_.blame.forget();
  parts_.gangs.forget();
  // Given back once more: how they end no longer matters.
  for (const ContainerId& lost : parts_.fence.forget()) {
    if (std::ranges::find(parts_.turn.actions, Action(ReleaseContainer{lost})) ==
        parts_.turn.actions.end()) {
      parts_.turn.act(ReleaseContainer{lost});
    }
  }
  parts_.asks.cancel_all();
  parts_.places.stay();
  parts_.ending.begin(*parts_.roles.take_decision());
}

void Settling::describe_wait() {
  if (parts_.lives.state().phase == JobPhase::Stopping) {
    parts_.state.chronicle.wait_for(parts_.lives.what_must_end());
    return;
  }
  const std::string* restart = parts_.timers.restart_wait();
  std::string wait = restart != nullptr ? *restart : barriers_.wait_of_the_fenced();
  parts_.state.chronicle.wait_for(wait.empty() ? parts_.gangs.lack() : std::move(wait));
}

}  // namespace muster::job
