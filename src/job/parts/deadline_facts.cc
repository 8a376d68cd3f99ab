#include "job/parts/deadline_facts.h"

#include "base/overloaded.h"
#include "job/parts/attempt_facts.h"
#include "job/parts/machine_parts.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace muster::job {

void DeadlineFacts::take(const DeadlinePassed& passed) {
  const DeadlineId id = passed.deadline;
  const std::optional<Purpose> purpose = parts_.timers.pass(id);
  if (!purpose) {
    return;
  }
  std::visit(Overloaded{
                 [&](const QueueTimer&) {
                   parts_.asks.queue_passed();
                   parts_.roles.fail_by_deadline("deadline.queue", *parts_.plan.deadlines.queue,
                                                 "no container was granted");
                 },
                 [&](const GatherTimer& timer) { gather_passed(timer.cohort); },
                 [&](const JoinTimer& timer) {
                   attempt_facts_.pass_on(timer.task,
                                          {.failed = parts_.attempts.join_passed(timer.task)});
                 },
                 [&](const RunTimer&) {
                   parts_.ending.run_passed();
                   parts_.roles.fail_by_deadline("deadline.run", *parts_.plan.deadlines.run,
                                                 "the job did not end");
                 },
                 [&](const BatchTimer& timer) { parts_.failures.stop_passed(timer.batch); },
                 [&](const EndTimer&) { parts_.ending.stop_passed(); },
                 [&](const RestartTimer& timer) { parts_.asks.waited(id, timer.tasks); },
                 [&](const StartOverTimer&) {
                   parts_.restarts.start_over_passed();
                   parts_.roles.ask_review();
                 },
                 [&](const AskTimer& timer) { parts_.asks.waited(id, timer.tasks); },
                 [&](const HostReturnTimer& timer) { parts_.asks.host_return_passed(timer.tasks); },
                 [&](const PardonTimer&) { parts_.asks.pardon_passed(); },
                 [&](const HoldTimer& timer) {
                   for (const TaskId task : parts_.gangs.hold_passed(timer.cohort)) {
                     parts_.attempts.give_back(task);
                   }
                   parts_.gangs.wait_to_regather(timer.cohort);
                 },
                 [&](const RegatherTimer& timer) {
                   parts_.asks.poke(parts_.gangs.regather_passed(timer.cohort));
                 },
                 [&](const BlameTimer&) { parts_.failures.blame_passed(); },
                 [&](const FenceTimer& timer) { parts_.attempts.fence_passed(timer.container); },
                 [&](const GroupTimer& timer) { parts_.roles.group_passed(timer.role); },
             },
             *purpose);
}

// A task that waits for a gang fails with it; a single task that got no container is given up
// according to its role.
void DeadlineFacts::gather_passed(uint32_t cohort_id) {
  const std::string had = parts_.gangs.gather_passed(cohort_id);
  if (had.empty()) {
    return;
  }
  const std::string missing = fmt::format("only {}, and no more came", had);
  const Cohort& cohort = *parts_.gangs.find(cohort_id);
  if (cohort.gang) {
    parts_.roles.fail_by_deadline("deadline.gather", *parts_.plan.deadlines.gather, missing);
    return;
  }
  for (const TaskId id : std::vector<TaskId>(cohort.tasks)) {
    const Task& task = parts_.lives.task(id);
    if (parts_.gangs.of(id).cohort != cohort_id || task.state != TaskState::Waiting) {
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
    cause.at = parts_.turn.now;
    parts_.failures.give_up(cause, {});
  }
}

}  // namespace muster::job
