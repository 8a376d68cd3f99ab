#include "master/watch/stall_judge.h"

#include "master/agents/members.h"
#include "stacks/suspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace muster::master {
namespace {

/// Agents report about once a second, and less often if looking is expensive; anything older says
/// nothing about now.
constexpr Duration kFresh = std::chrono::seconds(30);
/// Pauses after which a program went on make us wait longer, but not forever.
constexpr int64_t kPausesWaited = 2;
constexpr int64_t kAftersWaitedMax = 6;
constexpr size_t kMembersMax = 1024;

/// How often the stacks of busy tasks are read, within an eighth of the time after which they are
/// suspected, and about a second apart or more. The intervals are uneven: otherwise a program with
/// a rhythm of its own would be seen at the same place each time.
constexpr size_t kRounds = 5;
constexpr int64_t kRoundsShare = 8 * (kRounds - 1);
constexpr Duration kBetweenRoundsMin = std::chrono::seconds(1);
constexpr Duration kBetweenRoundsMax = std::chrono::seconds(10);

/// What quiet tasks read is watched for a sixth of that time, so that one that receives something
/// more often than that is not suspected; but a verdict on a gang that waits for one of its own
/// must not take more than a minute longer for it, reading included.
constexpr int64_t kWatchShare = 6;
constexpr Duration kWatchMax = std::chrono::seconds(30);

/// Returns whether a pause lasts long enough, given earlier ones that ended.
bool lasts(const wire::Pause& pause, Duration after) {
  const Duration most = kAftersWaitedMax * after;
  const bool long_before = pause.longest > most / kPausesWaited;
  return pause.now >= std::max(after, long_before ? most : kPausesWaited * pause.longest);
}

}  // namespace

StallJudge::StallJudge(Deps deps, Send send)
    : deps_(deps),
      jitter_(deps_.decider.machine().plan().seed),
      stacks_({.loop = deps.loop,
               .log = deps.log,
               .send = [send = std::move(send)](wire::StreamFrame frame) {
                 send({.client = kJudgeClient, .who = "muster", .from = {}}, std::move(frame));
               }}) {
  // What an earlier master found holds until somebody moves.
  for (const std::vector<job::Task>& role : deps_.decider.machine().state().tasks) {
    for (const job::Task& task : role) {
      const job::Attempt* last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (last != nullptr && last->stall && last->state == job::AttemptState::Running) {
        // How it was found to hang is no longer known; progress ends either kind.
        told_[cohort_of(task.id)] = {.attempt = {task.id, last->number}, .sign = Sign::Fruitless};
      }
    }
  }
}

StallJudge::~StallJudge() {
  if (inquiry_) {
    deps_.loop.cancel(inquiry_->pause);
  }
}

// ---- suspicion

StallJudge::Cohort StallJudge::cohort_of(job::TaskId task) const {
  const job::RolePlan& role = deps_.decider.machine().plan().role(task.role);
  return role.membership == spec::Membership::Independent ? Cohort(task) : std::nullopt;
}

std::optional<Duration> StallJudge::after_of(job::RoleIndex role) const {
  return deps_.decider.machine().plan().role(role).stall.after;
}

void StallJudge::sampled(const job::ContainerId& container,
                         const std::vector<wire::Samples>& samples) {
  for (const wire::Samples& each : samples) {
    if (!each.attempt || !runs_there(deps_.decider.machine().state(), container, *each.attempt)) {
      continue;
    }
    take_step(each);
    // A sample that waited for a master says nothing about now.
    if (each.quiet && each.age <= kFresh) {
      take_sample(each);
    }
  }
}

void StallJudge::take_step(const wire::Samples& samples) {
  constexpr std::string_view kStep = "user.step";
  for (const metrics::NamedReading& each : samples.named) {
    if (each.metric.name == kStep && std::isfinite(each.value)) {
      known_[*samples.attempt].step = each.value;
    }
  }
}

void StallJudge::take_sample(const wire::Samples& samples) {
  const job::AttemptId attempt = *samples.attempt;
  known_[attempt].seen = {
      .quiet = *samples.quiet, .fruitless = samples.fruitless, .at = deps_.loop.now()};
  const Cohort cohort = cohort_of(attempt.task);
  const std::optional<Duration> after = after_of(attempt.task.role);
  if (!after) {
    return;
  }
  const bool moves = samples.quiet->now < *after;
  const bool gets_on = moves && (!samples.fruitless || samples.fruitless->pause.now < *after);
  const auto told = told_.find(cohort);
  if (moves && !cohort) {
    moving_ = attempt;
  }
  if (gets_on) {
    progressing_ = cohort ? progressing_ : attempt;
    not_before_.erase(cohort);
  }
  if (told != told_.end()) {
    if (told->second.sign == Sign::Quiet ? moves : gets_on) {
      moved(cohort);
    }
  } else if (!inquiry_ && !gets_on) {
    suspect(cohort, moves ? Sign::Fruitless : Sign::Quiet);
  }
}

void StallJudge::suspect(const Cohort& cohort, Sign sign) {
  const auto at_work = not_before_.find(cohort);
  if (at_work != not_before_.end() && deps_.loop.now() < at_work->second) {
    return;
  }
  std::vector<Member> members;
  if (sign == Sign::Quiet) {
    members = stalled(cohort, Sign::Quiet);
  }
  if (members.empty()) {
    sign = Sign::Fruitless;
    members = stalled(cohort, sign);
  }
  if (!members.empty()) {
    begin(cohort, sign, std::move(members));
  }
}

bool StallJudge::is_needed(job::AttemptId attempt) const {
  return deps_.decider.machine().plan().role(attempt.task.role).success != spec::Success::Ignored;
}

const StallJudge::Seen* StallJudge::seen_lately(job::AttemptId attempt) const {
  const auto known = known_.find(attempt);
  if (known == known_.end() || !known->second.seen) {
    return nullptr;
  }
  const Seen& seen = *known->second.seen;
  return deps_.loop.now() - seen.at <= kFresh ? &seen : nullptr;
}

std::optional<StallJudge::Paused> StallJudge::paused(job::AttemptId attempt, Duration after,
                                                     Sign sign) const {
  const Seen* const seen = seen_lately(attempt);
  if (seen == nullptr) {
    return std::nullopt;
  }
  const wire::Fruitless past = seen->fruitless.value_or(wire::Fruitless{});
  if (lasts(seen->quiet, after)) {
    return Paused{.lasts = seen->quiet.now, .quiet = true, .past = past};
  }
  if (sign == Sign::Fruitless && seen->fruitless && lasts(past.pause, after)) {
    return Paused{.lasts = past.pause.now, .past = past};
  }
  return std::nullopt;
}

std::optional<StallJudge::Watched> StallJudge::watched(const Cohort& cohort) const {
  Watched watched;
  for (const std::vector<job::Task>& role : deps_.decider.machine().state().tasks) {
    for (const job::Task& task : role) {
      if (cohort_of(task.id) != cohort || task.attempts.empty()) {
        continue;  // A task that has never been placed may be waiting for these to end.
      }
      const std::optional<Duration> own = after_of(task.id.role);
      const job::Attempt& last = task.attempts.back();
      if (last.state == job::AttemptState::Ended) {
        watched.last_end = std::max(watched.last_end.value_or(last.ended), last.ended);
      }
      if (!own) {
        continue;
      }
      if (last.state == job::AttemptState::Running) {
        watched.after = std::max(watched.after, *own);
        watched.attempts.push_back({task.id, last.number});
      } else if (task.state == job::TaskState::Active || task.state == job::TaskState::Waiting) {
        return std::nullopt;
      }
    }
  }
  return watched;
}

std::vector<StallJudge::Member> StallJudge::stalled(const Cohort& cohort, Sign sign) {
  const job::Machine& machine = deps_.decider.machine();
  if (machine.state().phase != job::JobPhase::Running) {
    return {};
  }
  std::optional<job::AttemptId>& witness = sign == Sign::Quiet ? moving_ : progressing_;
  if (!cohort && witness &&
      !paused(*witness, after_of(witness->task.role).value_or(Duration{}), sign)) {
    const job::Attempt* attempt = machine.state().find_attempt(*witness);
    if (attempt != nullptr && attempt->state == job::AttemptState::Running) {
      return {};  // The usual case, at no cost: the task that moved last time still does.
    }
  }
  const std::optional<Watched> all = watched(cohort);
  if (!all || (all->last_end && deps_.decider.clock().now() - *all->last_end < all->after)) {
    return {};
  }
  std::vector<Member> members;
  bool knows_past = sign == Sign::Quiet;
  for (const job::AttemptId attempt : all->attempts) {
    const std::optional<Paused> pause = paused(attempt, all->after, sign);
    if (!pause) {
      witness = cohort ? witness : attempt;
      return {};
    }
    const wire::Fruitless& past = pause->past;
    knows_past = knows_past || past.knows_past;
    members.push_back({.attempt = attempt,
                       .pause = pause->lasts,
                       .kind = {.quiet = pause->quiet, .reports = past.reports},
                       .got_on = past.got_on || past.knows_past});
  }
  const bool any_needed = std::ranges::any_of(
      members, [this](const Member& member) { return is_needed(member.attempt); });
  if (!knows_past || !any_needed) {
    return {};  // They may all be about to begin, or nobody may need them any more.
  }
  // The one that has paused for longest is the first guess.
  std::ranges::sort(members, [this](const Member& one, const Member& other) {
    return std::tuple(!is_needed(one.attempt), other.pause, one.attempt) <
           std::tuple(!is_needed(other.attempt), one.pause, other.attempt);
  });
  return members;
}

void StallJudge::moved(const Cohort& cohort) {
  const auto told = told_.find(cohort);
  if (told == told_.end()) {
    return;
  }
  const job::AttemptId attempt = told->second.attempt;
  told_.erase(told);
  const job::Attempt* known = deps_.decider.machine().state().find_attempt(attempt);
  if (known != nullptr && known->state == job::AttemptState::Running && known->stall) {
    deps_.log.info("stall.over", {{"task", to_string(deps_.decider.machine().plan(), attempt)}});
    deps_.decider.enter(job::AttemptStalled{.attempt = attempt});
  }
}

// ---- stacks

void StallJudge::begin(const Cohort& cohort, Sign sign, std::vector<Member> members) {
  deps_.log.warning("stall.suspected",
                    {{"tasks", members.size()}, {"busy", sign == Sign::Fruitless}});
  members.resize(std::min(members.size(), kMembersMax));
  // Ended attempts are of no use any more.
  std::erase_if(known_, [this](const auto& entry) {
    const job::Attempt* attempt = deps_.decider.machine().state().find_attempt(entry.first);
    return attempt == nullptr || attempt->state == job::AttemptState::Ended;
  });
  inquiry_ = std::make_unique<Inquiry>();
  inquiry_->cohort = cohort;
  inquiry_->sign = sign;
  inquiry_->members = std::move(members);
  begin_round();
}

std::optional<double> StallJudge::step_of(job::AttemptId attempt) const {
  const auto known = known_.find(attempt);
  return known == known_.end() ? std::nullopt : known->second.step;
}

Duration StallJudge::watch_of(const Inquiry& inquiry) const {
  const bool any_quiet =
      std::ranges::any_of(inquiry.members, [](const Member& each) { return each.kind.quiet; });
  if (inquiry.sign != Sign::Quiet && (!any_quiet || inquiry.rounds.size() + 1 < kRounds)) {
    return Duration::zero();  // They are looked at several times anyway.
  }
  // Cohorts are looked at one after the other; all together they must wait no longer than one.
  std::set<Cohort> quiet = {inquiry.cohort};
  for (const auto& [attempt, known] : known_) {
    const Cohort cohort = cohort_of(attempt.task);
    const std::optional<Duration> after = after_of(attempt.task.role);
    if (after && !told_.contains(cohort) && paused(attempt, *after, Sign::Quiet)) {
      quiet.insert(cohort);
    }
  }
  const Duration after = watched(inquiry.cohort).value_or(Watched{}).after;
  return std::min(after / kWatchShare, kWatchMax) / static_cast<int64_t>(quiet.size());
}

void StallJudge::begin_round() {
  const job::Machine& machine = deps_.decider.machine();
  std::vector<StackReader::Wanted> wanted;
  for (const Member& member : inquiry_->members) {
    wanted.push_back({.attempt = member.attempt,
                      .subject = {.task = to_string(machine.plan(), member.attempt.task),
                                  .host = machine.state().find_attempt(member.attempt)->host.value,
                                  .report = {},
                                  .needed = is_needed(member.attempt),
                                  .got_on = member.got_on,
                                  .step = step_of(member.attempt)}});
  }
  stacks_.read(wanted, {.native = inquiry_->sign == Sign::Fruitless, .watch = watch_of(*inquiry_)},
               [this](std::vector<stacks::Subject> read) { end_round(std::move(read)); });
}

// ---- the verdict

std::string StallJudge::ended_text(const Cohort& cohort) const {
  const job::Machine& machine = deps_.decider.machine();
  std::vector<std::string> names;
  for (const std::vector<job::Task>& role : machine.state().tasks) {
    for (const job::Task& task : role) {
      const job::Attempt* const last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (cohort_of(task.id) == cohort && last != nullptr && last->exit &&
          last->state == job::AttemptState::Ended && last->exit->succeeded()) {
        names.push_back(to_string(machine.plan(), task.id));
      }
    }
  }
  return names.empty() ? std::string()
                       : fmt::format(
                             "; {} {} ended, with exit code 0, and may be what is waited "
                             "for",
                             stacks::join_tasks(names), names.size() == 1 ? "has" : "have");
}

void StallJudge::end_round(std::vector<stacks::Subject> read) {
  inquiry_->rounds.push_back(std::move(read));
  // Reading takes seconds, in which they may have begun to move or have ended.
  const std::vector<Member> now = stalled(inquiry_->cohort, inquiry_->sign);
  const Inquiry& inquiry = *inquiry_;
  const bool same = now.size() == inquiry.members.size() ||
                    (now.size() > kMembersMax && inquiry.members.size() == kMembersMax);
  if (!same || std::ranges::any_of(inquiry.members, [&](const Member& member) {
        return std::ranges::find(now, member.attempt, &Member::attempt) == now.end();
      })) {
    inquiry_.reset();
  } else if (inquiry.sign == Sign::Quiet || inquiry.rounds.size() == kRounds) {
    end();
  } else {
    const Duration after = watched(inquiry.cohort).value_or(Watched{}).after;
    const Duration mean = std::clamp(after / kRoundsShare, kBetweenRoundsMin, kBetweenRoundsMax);
    inquiry_->pause = deps_.loop.call_after(jitter_.around(mean, mean / 3), [this] {
      inquiry_->pause = {};
      begin_round();
    });
  }
}

void StallJudge::end() {
  const std::unique_ptr<Inquiry> owned = std::move(inquiry_);
  const Inquiry& inquiry = *owned;
  const std::vector<stacks::Subject>& subjects = inquiry.rounds.back();
  std::vector<stacks::Pause> pauses;
  std::ranges::transform(inquiry.members, std::back_inserter(pauses), &Member::kind);
  const bool busy = inquiry.sign == Sign::Fruitless;
  const bool fed = std::ranges::any_of(inquiry.rounds,
                                       [](const auto& round) { return stacks::is_any_fed(round); });
  const std::optional<stacks::Suspect> suspect =
      fed    ? std::nullopt
      : busy ? stacks::find_busy_suspect(inquiry.rounds, pauses)
             : stacks::find_suspect(subjects);
  const Member& member = inquiry.members[suspect ? suspect->subject : 0];
  if (fed || (busy && !suspect)) {
    const Duration after = watched(inquiry.cohort).value_or(Watched{}).after;
    not_before_[inquiry.cohort] = deps_.loop.now() + after;
    deps_.log.info("stall.busy", {{"task", subjects[0].task}});
    return;
  }
  // Ask once, and again only after somebody has moved in between.
  told_[inquiry.cohort] = {.attempt = member.attempt, .sign = inquiry.sign};
  if (!suspect) {
    deps_.log.info("stall.idle", {{"task", subjects[0].task}});
    return;
  }
  deps_.log.warning("stall.found", {{"task", subjects[suspect->subject].task},
                                    {"sure", job::to_string(suspect->sure)},
                                    {"place", suspect->place}});
  std::string evidence = suspect->evidence;
  if (suspect->sure != job::Sureness::Certain) {
    evidence.insert(std::min(evidence.find('\n'), evidence.size()), ended_text(inquiry.cohort));
  }
  deps_.decider.enter(job::AttemptStalled{.attempt = member.attempt,
                                          .silent = member.pause,
                                          .sure = suspect->sure,
                                          .place = suspect->place,
                                          .evidence = std::move(evidence)});
}

}  // namespace muster::master
