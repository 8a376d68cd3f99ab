#include "base/overloaded.h"
#include "job/elastic.h"
#include "job/machine_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What one fact means to several parts.
namespace muster::job {

// ---- containers

void Machine::Impl::granted(const ContainerGranted& granted) {
  if (lives_.find(granted.container) != nullptr) {
    return;
  }
  asks_.saw(granted.host);
  const std::optional<Request> request = asks_.answered(granted.request);
  const bool wanted = request && !request->cancelled && !lives_.stopping();
  if (places_.take_ended_unseen(granted.container)) {
    if (wanted) {
      asks_.put_back(*request);
    }
    return;
  }
  if (!wanted) {
    places_.take_in_unwanted(granted);
    return;
  }
  const Container& container = lives_.grant(granted);
  lives_.assign(container, request->role, request->tasks);
  asks_.accepted(request->role);
  lives_.step("first container");
  turn_.act(LaunchAgent{granted.container});
  lives_.move(container, ContainerState::Launching);
  for (uint32_t slot = 0; slot < request->tasks.size(); ++slot) {
    attempts_.place(request->tasks[slot], container, slot);
  }
}

void Machine::Impl::refused(const RequestRefused& refused) {
  const std::optional<Request> request = asks_.answered(refused.request);
  if (!request || request->cancelled || lives_.stopping()) {
    return;
  }
  if (refused.kind == RefusalKind::Transient) {
    asks_.ask_later(*request, refused.reason);
    return;
  }
  asks_.put_back(*request);
  const bool grows = std::ranges::all_of(request->tasks, [&](TaskId id) {
    const Cohort* cohort = gangs_.cohort_of(id);
    return cohort != nullptr && cohort->grows;
  });
  if (grows) {
    for (const TaskId id : request->tasks) {
      attempts_.abandon(id, TaskState::Stopped);
    }
    return;
  }
  roles_.decide({.result = JobResult::Failed,
                 .reason = OutcomeReason::Refused,
                 .class_name = "cluster.refused",
                 .message = fmt::format("the cluster refused a container for {}: {}",
                                        plan_.role(request->role).name, refused.reason),
                 .first_cause = std::nullopt});
}

void Machine::Impl::launch_failed(const LaunchFailed& failed) {
  const Container* container = lives_.find(failed.container);
  if (container != nullptr && container->state == ContainerState::Launching) {
    failures_.lose(*container, false, [&](TaskId id, const Attempt& attempt) {
      return cause_of_launch(id, attempt, failed.reason, turn_.now);
    });
  }
}

void Machine::Impl::agent_joined(const AgentJoined& joined) {
  const Container* container = lives_.find(joined.container);
  if (container == nullptr || container->state == ContainerState::Draining ||
      container->state == ContainerState::Gone) {
    turn_.act(ReleaseContainer{joined.container});
    return;
  }
  attempts_.agent_ready(*container, joined.address);
}

void Machine::Impl::suspected(const AgentSuspected& suspected) {
  const Container* container = lives_.find(suspected.container);
  if (container != nullptr && container->state != ContainerState::Gone) {
    lives_.suspect(*container, true);
  }
}

void Machine::Impl::agent_lost(const AgentLost& lost) {
  const Container* container = lives_.find(lost.container);
  if (container != nullptr && container->state != ContainerState::Gone) {
    failures_.lose(*container, false, [&](TaskId id, const Attempt& attempt) {
      return cause_of_loss(id, attempt, lost.reason, turn_.now);
    });
  }
}

void Machine::Impl::container_ended(const ContainerEnded& ended) {
  const Container* container = lives_.find(ended.container);
  if (container == nullptr) {
    places_.ended_unseen(ended.container);
  } else if (container->state != ContainerState::Gone) {
    failures_.lose(*container, true, [&](TaskId id, const Attempt& attempt) {
      return cause_of_end(id, attempt, ended, turn_.now);
    });
  }
}

void Machine::Impl::host_reported(const HostReported& reported) {
  asks_.report(reported);
  state_.hosts[reported.host] = reported.health;
  if (reported.health != HostHealth::Lost) {
    return;
  }
  for (const auto& [id, container] : state_.containers) {
    if (container.host == reported.host && container.state != ContainerState::Gone) {
      failures_.lose(container, true, [&](TaskId task, const Attempt& attempt) {
        return cause_of_end(task, attempt, {.container = id, .kind = ContainerEndKind::HostLost},
                            turn_.now);
      });
    }
  }
}

// ---- attempts

void Machine::Impl::joined(TaskId id, const Address& address) {
  if (!attempts_.joined(id, address)) {
    return;
  }
  const Cohort* cohort = gangs_.cohort_of(id);
  if (cohort != nullptr && !cohort->gang &&
      plan_.role(id.role).membership == spec::Membership::Rejoin &&
      plan_.barrier == spec::Barrier::Gang && !attempts_.keeps_address(id, address)) {
    // The others know it elsewhere: they start again, too, with a new view.
    restarts_.regroup({}, id);
  }
  open_if_complete(gangs_.of(id).cohort);
}

void Machine::Impl::pass_on(TaskId id, Attempts::Meaning meaning) {
  if (meaning.failed) {
    failures_.failed(std::move(*meaning.failed));
  } else if (meaning.succeeded) {
    succeeded(id);
  }
}

void Machine::Impl::succeeded(TaskId id) {
  if (plan_.role(id.role).membership == spec::Membership::Static) {
    roles_.succeeded_for_now(id);
  } else {
    attempts_.make_final(id);
  }
  if (ranges(plan_, id.role)) {
    attempts_.stop_growing(id.role);
  }
  roles_.ask_review();
}

void Machine::Impl::committed(const CheckpointCommitted& commit) {
  const Attempt* attempt = state_.find_attempt(commit.attempt);
  if (attempt != nullptr && attempt->generation.value != 0 &&
      commit.generation == state_.generation) {
    state_.last_commit = commit;
  }
}

// ---- the job

void Machine::Impl::stop_asked(const StopAsked& asked) {
  if (state_.stop_asked_by.empty()) {
    state_.stop_asked_by = asked.by;
  }
  if (lives_.stopping() || roles_.decided()) {
    return;
  }
  roles_.decide({.result = JobResult::Stopped,
                 .reason = OutcomeReason::StoppedByUser,
                 .class_name = "stop.user",
                 .message = fmt::format("stopped by {}", asked.by),
                 .first_cause = std::nullopt});
}

// ---- deadlines

void Machine::Impl::passed(DeadlineId id) {
  const std::optional<Purpose> purpose = timers_.pass(id);
  if (!purpose) {
    return;
  }
  std::visit(
      Overloaded{
          [&](const QueueTimer&) {
            asks_.queue_passed();
            roles_.fail_by_deadline("deadline.queue", *plan_.deadlines.queue,
                                    "no container was granted");
          },
          [&](const GatherTimer& timer) { gather_passed(timer.cohort); },
          [&](const JoinTimer& timer) {
            pass_on(timer.task, {.failed = attempts_.join_passed(timer.task)});
          },
          [&](const RunTimer&) {
            ending_.run_passed();
            roles_.fail_by_deadline("deadline.run", *plan_.deadlines.run, "the job did not end");
          },
          [&](const BatchTimer& timer) { failures_.stop_passed(timer.batch); },
          [&](const EndTimer&) { ending_.stop_passed(); },
          [&](const RestartTimer& timer) { asks_.waited(id, timer.tasks); },
          [&](const StartOverTimer&) {
            restarts_.start_over_passed();
            roles_.ask_review();
          },
          [&](const AskTimer& timer) { asks_.waited(id, timer.tasks); },
          [&](const HostReturnTimer& timer) { asks_.host_return_passed(timer.tasks); },
          [&](const HoldTimer& timer) {
            for (const TaskId task : gangs_.hold_passed(timer.cohort)) {
              attempts_.give_back(task);
            }
            gangs_.wait_to_regather(timer.cohort);
          },
          [&](const RegatherTimer& timer) { asks_.poke(gangs_.regather_passed(timer.cohort)); },
          [&](const BlameTimer&) { failures_.blame_passed(); },
          [&](const FenceTimer& timer) { attempts_.fence_passed(timer.container); },
          [&](const GroupTimer& timer) { roles_.group_passed(timer.role); },
      },
      *purpose);
}

// Whoever waits for a gang fails with it; a single task that got no container is given up as its
// role says.
void Machine::Impl::gather_passed(uint32_t cohort_id) {
  const std::string had = gangs_.gather_passed(cohort_id);
  if (had.empty()) {
    return;
  }
  const std::string missing = fmt::format("only {}, and no more came", had);
  const Cohort& cohort = *gangs_.find(cohort_id);
  if (cohort.gang) {
    roles_.fail_by_deadline("deadline.gather", *plan_.deadlines.gather, missing);
    return;
  }
  for (const TaskId id : std::vector<TaskId>(cohort.tasks)) {
    const Task& task = lives_.task(id);
    if (gangs_.of(id).cohort != cohort_id || task.state != TaskState::Waiting) {
      continue;
    }
    Cause cause;
    cause.first.attempt = {id, task.attempts.empty() ? 0 : task.attempts.back().number};
    cause.first.failure = {.class_name = "deadline.gather",
                           .kind = FailureKind::Infrastructure,
                           .remedy = Remedy::GiveUp,
                           .evidence = missing,
                           .hint = ""};
    cause.rung = Rung::None;
    cause.reason = OutcomeReason::DeadlinePassed;
    cause.at = turn_.now;
    failures_.give_up(cause, {});
  }
}

}  // namespace muster::job
