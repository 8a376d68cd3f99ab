#include "master/stall_judge.h"

#include "base/overloaded.h"
#include "master/members.h"
#include "stacks/suspect.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace muster::master {
namespace {

/// Agents tell it about once a second, and less often where looking is dear; what is older says
/// nothing about now.
constexpr Duration kFresh = std::chrono::seconds(30);
/// Pauses after which a program went on make us wait longer, but not for ever.
constexpr int64_t kPausesWaited = 2;
constexpr int64_t kAftersWaitedMax = 6;
/// So many are read at a time: a client may have twice as many streams.
constexpr size_t kReadAtOnce = wire::kStreamsMax / 2;
constexpr size_t kMembersMax = 1024;
constexpr Duration kPatience = std::chrono::seconds(45);
constexpr Duration kWaitForTask = std::chrono::seconds(5);

/// The stacks of what is busy are read so often, in an eighth of the time after which it is
/// suspected, and not less than a second apart.
constexpr size_t kRounds = 5;
constexpr int64_t kRoundsShare = 8 * (kRounds - 1);
constexpr Duration kBetweenRoundsMin = std::chrono::seconds(1);
constexpr Duration kBetweenRoundsMax = std::chrono::seconds(10);

/// How long a pause has to be, after others that were over.
Duration wait_of(Duration after, Duration longest) {
  const Duration most = kAftersWaitedMax * after;
  return std::max(after, longest > most / kPausesWaited ? most : kPausesWaited * longest);
}

/// Of what was read only what tells is kept.
stacks::Report essence(const stacks::Report& report) {
  stacks::Report kept;
  const auto keep = [&](const stacks::Telling& telling) {
    if (kept.processes.empty() || kept.processes.back().pid != telling.process->pid) {
      kept.processes.push_back(*telling.process);
      kept.processes.back().threads.clear();
    }
    kept.processes.back().threads.push_back(*telling.thread);
  };
  if (const stacks::Telling telling = stacks::telling_of(report); telling.process != nullptr) {
    keep(telling);
    for (const stacks::Telling& other : stacks::behind(report)) {
      keep(other);
    }
  }
  return kept;
}

}  // namespace

StallJudge::StallJudge(Deps deps, Send send) : deps_(deps), send_(std::move(send)) {
  // What an earlier master found holds until somebody moves.
  for (const std::vector<job::Task>& role : deps_.decider.machine().state().tasks) {
    for (const job::Task& task : role) {
      const job::Attempt* last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (last != nullptr && last->stall && last->state == job::AttemptState::Running) {
        // How it was found to hang is not known any more: progress ends either.
        told_[cohort_of(task.id)] = {.attempt = {task.id, last->number}, .sign = Sign::Fruitless};
      }
    }
  }
}

StallJudge::~StallJudge() {
  if (inquiry_) {
    deps_.loop.cancel(inquiry_->deadline);
    deps_.loop.cancel(inquiry_->end);
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
    // What waited for a master says nothing about now.
    if (each.quiet && each.attempt && each.age <= kFresh &&
        runs_there(deps_.decider.machine().state(), container, *each.attempt)) {
      take_sample(each);
    }
  }
}

void StallJudge::take_sample(const wire::Samples& samples) {
  const job::AttemptId attempt = *samples.attempt;
  seen_[attempt] = {
      .quiet = *samples.quiet, .fruitless = samples.fruitless, .at = deps_.loop.now()};
  const Cohort cohort = cohort_of(attempt.task);
  const std::optional<Duration> after = after_of(attempt.task.role);
  if (!after) {
    return;
  }
  const bool moves = samples.quiet->now < *after;
  const bool gets_on = moves && (!samples.fruitless || samples.fruitless->now < *after);
  const auto told = told_.find(cohort);
  if (moves && !cohort) {
    mover_ = attempt;
  }
  if (gets_on) {
    getter_on_ = cohort ? getter_on_ : attempt;
    cleared_.erase(cohort);
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
  std::vector<Member> members;
  if (sign == Sign::Quiet) {
    members = stalled(cohort, Sign::Quiet);
  }
  const auto cleared = cleared_.find(cohort);
  if (members.empty() && (cleared == cleared_.end() || deps_.loop.now() >= cleared->second)) {
    sign = Sign::Fruitless;
    members = stalled(cohort, sign);
  }
  if (!members.empty()) {
    begin(cohort, sign, std::move(members));
  }
}

const StallJudge::Seen* StallJudge::seen_lately(job::AttemptId attempt) const {
  const auto seen = seen_.find(attempt);
  const bool lately = seen != seen_.end() && deps_.loop.now() - seen->second.at <= kFresh;
  return lately ? &seen->second : nullptr;
}

bool StallJudge::is_quiet(job::AttemptId attempt, Duration after) const {
  const Seen* const seen = seen_lately(attempt);
  return seen != nullptr && seen->quiet.now >= wait_of(after, seen->quiet.longest);
}

bool StallJudge::is_fruitless(job::AttemptId attempt, Duration after) const {
  const Seen* const seen = seen_lately(attempt);
  return seen != nullptr && seen->fruitless &&
         seen->fruitless->now >= wait_of(after, seen->fruitless->longest);
}

std::optional<StallJudge::Watched> StallJudge::watched(const Cohort& cohort) const {
  Watched watched;
  for (const std::vector<job::Task>& role : deps_.decider.machine().state().tasks) {
    for (const job::Task& task : role) {
      if (cohort_of(task.id) != cohort || task.attempts.empty()) {
        continue;  // What has never been placed may wait for these to end.
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
  std::optional<job::AttemptId>& mover = sign == Sign::Quiet ? mover_ : getter_on_;
  if (!cohort && mover && !pauses(*mover, after_of(mover->task.role).value_or(Duration{}), sign)) {
    const job::Attempt* attempt = machine.state().find_attempt(*mover);
    if (attempt != nullptr && attempt->state == job::AttemptState::Running) {
      return {};  // The usual case, at no cost: the one that moved still does.
    }
  }
  const std::optional<Watched> all = watched(cohort);
  if (!all || (all->last_end && deps_.decider.clock().now() - *all->last_end < all->after)) {
    return {};
  }
  std::vector<Member> members;
  bool knows_past = sign == Sign::Quiet;
  for (const job::AttemptId attempt : all->attempts) {
    if (!pauses(attempt, all->after, sign)) {
      mover = cohort ? mover : attempt;
      return {};
    }
    const Seen& seen = seen_.at(attempt);
    knows_past = knows_past || (seen.fruitless && seen.fruitless->knows_past);
    if (machine.plan().role(attempt.task.role).success != spec::Success::Ignored) {
      const bool quiet = is_quiet(attempt, all->after);
      members.push_back(
          {.attempt = attempt,
           .pause = quiet ? seen.quiet.now : seen.fruitless->now,
           .kind = {.quiet = quiet, .reports = seen.fruitless && seen.fruitless->reports}});
    }
  }
  if (!knows_past) {
    return {};  // They may all be about to begin.
  }
  // Whoever has paused for longest is the first guess.
  std::ranges::sort(members, [](const Member& one, const Member& other) {
    return std::pair(other.pause, one.attempt) < std::pair(one.pause, other.attempt);
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
  // What has ended is of no use any more.
  std::erase_if(seen_, [this](const auto& entry) {
    const job::Attempt* attempt = deps_.decider.machine().state().find_attempt(entry.first);
    return attempt == nullptr || attempt->state == job::AttemptState::Ended;
  });
  inquiry_ = std::make_unique<Inquiry>();
  inquiry_->cohort = cohort;
  inquiry_->sign = sign;
  inquiry_->members = std::move(members);
  begin_round();
}

void StallJudge::begin_round() {
  const job::Machine& machine = deps_.decider.machine();
  Inquiry& inquiry = *inquiry_;
  inquiry.next = 0;
  std::vector<stacks::Subject>& subjects = inquiry.rounds.emplace_back();
  for (const Member& member : inquiry.members) {
    subjects.push_back({.task = to_string(machine.plan(), member.attempt.task),
                        .host = machine.state().find_attempt(member.attempt)->host.value,
                        .report = {}});
  }
  inquiry.deadline = deps_.loop.call_after(kPatience, [this] {
    inquiry_->deadline = {};
    while (!inquiry_->readings.empty()) {
      const uint64_t id = inquiry_->readings.begin()->first;
      send(id, wire::StreamReset{wire::StreamFault::Cancelled, "it takes too long"});
      read(id);
    }
    inquiry_->next = inquiry_->members.size();
    end_soon();
  });
  read_more();
}

void StallJudge::read_more() {
  while (inquiry_->next < inquiry_->members.size() && inquiry_->readings.size() < kReadAtOnce) {
    const size_t member = inquiry_->next++;
    const uint64_t id = ++last_stream_;
    inquiry_->readings[id].member = member;
    wire::StreamOpen open;
    open.attempt = {inquiry_->members[member].attempt.task, 0};
    open.wait = kWaitForTask;
    std::vector<std::string> probe = stacks::probe_command();
    if (inquiry_->sign == Sign::Fruitless) {
      probe.emplace_back(stacks::kNativeFlag);
    }
    open.request = wire::ExecRequest{.arguments = std::move(probe)};
    send(id, open);
  }
  end_soon();
}

void StallJudge::take(const wire::StreamFrame& frame) {
  if (!inquiry_ || !inquiry_->readings.contains(frame.id)) {
    return;
  }
  if (const Status taken = take_kind(frame.id, frame.kind); !taken) {
    deps_.log.warning("stall.bad_frame", {{"reason", taken.error().message}});
    send(frame.id, wire::StreamReset{wire::StreamFault::Protocol, taken.error().message});
    read(frame.id);
  }
}

Status StallJudge::take_kind(uint64_t id, const wire::StreamFrame::Kind& kind) {
  Reading& reading = inquiry_->readings.at(id);
  return std::visit(
      Overloaded{
          [&](const wire::StreamData& data) -> Status {
            MUSTER_TRY_STATUS(reading.ledger.received(data));
            MUSTER_TRY(const wire::ExecOutput output, wire::decode_exec_output(data.bytes));
            if (std::holds_alternative<wire::ExecExited>(output)) {
              send(id, wire::StreamClosed{});
              read(id);
              return {};
            }
            const auto& bytes = std::get<wire::ExecOutputBytes>(output);
            if (!bytes.is_err) {
              reading.reader.take(bytes.bytes);
            }
            if (const uint64_t credit = reading.ledger.consumed(data.bytes.size()); credit > 0) {
              send(id, wire::StreamCredit{credit});
            }
            return {};
          },
          [&](const wire::StreamCredit& credit) { return reading.ledger.received(credit); },
          [&](const OneOf<wire::StreamClosed, wire::StreamReset> auto&) -> Status {
            read(id);
            return {};
          },
          [](const OneOf<wire::StreamOpen, wire::StreamWaits, wire::StreamOpened> auto&) -> Status {
            return {};
          },
      },
      kind);
}

/// What there is of this one is all there will be.
void StallJudge::read(uint64_t id) {
  const auto found = inquiry_->readings.find(id);
  inquiry_->rounds.back()[found->second.member].report = essence(found->second.reader.report());
  inquiry_->readings.erase(found);
  end_soon();
}

/// In a turn of its own: streams may be refused inside the call that opens them.
void StallJudge::end_soon() {
  const bool more =
      inquiry_->next < inquiry_->members.size() && inquiry_->readings.size() < kReadAtOnce;
  const bool over = inquiry_->next == inquiry_->members.size() && inquiry_->readings.empty();
  if ((more || over) && inquiry_->end == rt::TimerId{}) {
    inquiry_->end = deps_.loop.call_after(Duration::zero(), [this] {
      inquiry_->end = {};
      if (inquiry_->next < inquiry_->members.size()) {
        read_more();
      } else if (inquiry_->readings.empty()) {
        end_round();
      }
    });
  }
}

// ---- the verdict

void StallJudge::end_round() {
  deps_.loop.cancel(inquiry_->deadline);
  // Reading takes seconds, in which they may have begun to move, or have ended.
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
    inquiry_->pause = deps_.loop.call_after(
        std::clamp(after / kRoundsShare, kBetweenRoundsMin, kBetweenRoundsMax), [this] {
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
  const std::optional<stacks::Suspect> suspect =
      busy ? stacks::find_busy_suspect(inquiry.rounds, pauses) : stacks::find_suspect(subjects);
  const Member& member = inquiry.members[suspect ? suspect->subject : 0];
  if (busy && !suspect) {
    const Duration after = watched(inquiry.cohort).value_or(Watched{}).after;
    cleared_[inquiry.cohort] = deps_.loop.now() + after;
    deps_.log.info("stall.busy", {{"task", subjects[0].task}});
    return;
  }
  // Asked once; again when somebody has moved in between.
  told_[inquiry.cohort] = {.attempt = member.attempt, .sign = inquiry.sign};
  if (!suspect) {
    deps_.log.info("stall.idle", {{"task", subjects[0].task}});
    return;
  }
  deps_.log.warning("stall.found", {{"task", subjects[suspect->subject].task},
                                    {"sure", job::to_string(suspect->sure)},
                                    {"place", suspect->place}});
  deps_.decider.enter(job::AttemptStalled{.attempt = member.attempt,
                                          .silent = member.pause,
                                          .sure = suspect->sure,
                                          .place = suspect->place,
                                          .evidence = suspect->evidence});
}

void StallJudge::send(uint64_t id, wire::StreamFrame::Kind kind) const {
  send_({.client = kJudgeClient, .who = "muster", .from = {}}, {id, std::move(kind)});
}

}  // namespace muster::master
