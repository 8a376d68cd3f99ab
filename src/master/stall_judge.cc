#include "master/stall_judge.h"

#include "base/overloaded.h"
#include "master/members.h"
#include "stacks/suspect.h"

#include <algorithm>
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

/// Of what was read only what tells is kept.
stacks::Report essence(const stacks::Report& report) {
  const stacks::Telling telling = stacks::telling_of(report);
  stacks::Report kept;
  if (telling.process != nullptr) {
    kept.processes.push_back(*telling.process);
    kept.processes.front().threads.resize(1);
  }
  return kept;
}

}  // namespace

StallJudge::StallJudge(Deps deps, Send send) : deps_(std::move(deps)), send_(std::move(send)) {
  // What an earlier master found holds until somebody moves.
  for (const std::vector<job::Task>& role : deps_.decider.machine().state().tasks) {
    for (const job::Task& task : role) {
      const job::Attempt* last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (last != nullptr && last->stall && last->state == job::AttemptState::Running) {
        told_[cohort_of(task.id)] = {task.id, last->number};
      }
    }
  }
}

StallJudge::~StallJudge() {
  if (inquiry_) {
    deps_.loop.cancel(inquiry_->deadline);
    deps_.loop.cancel(inquiry_->end);
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
  seen_[attempt] = {*samples.quiet, deps_.loop.now()};
  const Cohort cohort = cohort_of(attempt.task);
  const std::optional<Duration> after = after_of(attempt.task.role);
  if (!after) {
    return;
  }
  if (samples.quiet->now < *after) {
    mover_ = cohort ? mover_ : attempt;
    moved(cohort);
  } else if (!inquiry_ && !told_.contains(cohort)) {
    if (std::vector<Member> members = stalled(cohort); !members.empty()) {
      begin(cohort, std::move(members));
    }
  }
}

bool StallJudge::is_quiet(job::AttemptId attempt, Duration after) const {
  const auto seen = seen_.find(attempt);
  if (seen == seen_.end() || deps_.loop.now() - seen->second.at > kFresh) {
    return false;
  }
  const Duration longest = seen->second.quiet.longest;
  const Duration most = kAftersWaitedMax * after;
  return seen->second.quiet.now >=
         std::max(after, longest > most / kPausesWaited ? most : kPausesWaited * longest);
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

std::vector<StallJudge::Member> StallJudge::stalled(const Cohort& cohort) {
  const job::Machine& machine = deps_.decider.machine();
  if (machine.state().phase != job::JobPhase::Running) {
    return {};
  }
  if (!cohort && mover_ && !is_quiet(*mover_, after_of(mover_->task.role).value_or(Duration{}))) {
    const job::Attempt* attempt = machine.state().find_attempt(*mover_);
    if (attempt != nullptr && attempt->state == job::AttemptState::Running) {
      return {};  // The usual case, at no cost: the one that moved still does.
    }
  }
  const std::optional<Watched> all = watched(cohort);
  if (!all || (all->last_end && deps_.decider.clock().now() - *all->last_end < all->after)) {
    return {};
  }
  std::vector<Member> members;
  for (const job::AttemptId attempt : all->attempts) {
    if (!is_quiet(attempt, all->after)) {
      mover_ = cohort ? mover_ : attempt;
      return {};
    }
    if (machine.plan().role(attempt.task.role).success != spec::Success::Ignored) {
      members.push_back({.attempt = attempt, .quiet = seen_.at(attempt).quiet.now});
    }
  }
  // Whoever has been quiet for longest is the first guess.
  std::ranges::sort(members, [](const Member& one, const Member& other) {
    return std::pair(other.quiet, one.attempt) < std::pair(one.quiet, other.attempt);
  });
  return members;
}

void StallJudge::moved(const Cohort& cohort) {
  const auto told = told_.find(cohort);
  if (told == told_.end()) {
    return;
  }
  const job::AttemptId attempt = told->second;
  told_.erase(told);
  const job::Attempt* known = deps_.decider.machine().state().find_attempt(attempt);
  if (known != nullptr && known->state == job::AttemptState::Running && known->stall) {
    deps_.log.info("stall.over", {{"task", to_string(deps_.decider.machine().plan(), attempt)}});
    deps_.decider.enter(job::AttemptStalled{.attempt = attempt});
  }
}

// ---- stacks

void StallJudge::begin(const Cohort& cohort, std::vector<Member> members) {
  deps_.log.warning("stall.suspected", {{"tasks", members.size()}});
  members.resize(std::min(members.size(), kMembersMax));
  // What has ended is of no use any more.
  std::erase_if(seen_, [this](const auto& entry) {
    const job::Attempt* attempt = deps_.decider.machine().state().find_attempt(entry.first);
    return attempt == nullptr || attempt->state == job::AttemptState::Ended;
  });
  const job::Machine& machine = deps_.decider.machine();
  inquiry_ = std::make_unique<Inquiry>();
  Inquiry& inquiry = *inquiry_;
  inquiry.cohort = cohort;
  inquiry.members = std::move(members);
  for (const Member& member : inquiry.members) {
    inquiry.subjects.push_back({.task = to_string(machine.plan(), member.attempt.task),
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
    open.request = wire::ExecRequest{.arguments = stacks::probe_command()};
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
  inquiry_->subjects[found->second.member].report = essence(found->second.reader.report());
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
        end();
      }
    });
  }
}

// ---- the verdict

void StallJudge::end() {
  deps_.loop.cancel(inquiry_->deadline);
  const std::unique_ptr<Inquiry> owned = std::move(inquiry_);
  const Inquiry& inquiry = *owned;
  // Reading takes seconds, in which they may have begun to move, or have ended.
  const std::vector<Member> now = stalled(inquiry.cohort);
  const bool same = now.size() == inquiry.members.size() ||
                    (now.size() > kMembersMax && inquiry.members.size() == kMembersMax);
  if (!same || std::ranges::any_of(inquiry.members, [&](const Member& member) {
        return std::ranges::find(now, member.attempt, &Member::attempt) == now.end();
      })) {
    return;
  }
  const std::optional<stacks::Suspect> suspect = stacks::find_suspect(inquiry.subjects);
  const Member& member = inquiry.members[suspect ? suspect->subject : 0];
  // Asked once; again when somebody has moved in between.
  told_[inquiry.cohort] = member.attempt;
  if (!suspect) {
    deps_.log.info("stall.idle", {{"task", inquiry.subjects[0].task}});
    return;
  }
  deps_.log.warning("stall.found", {{"task", inquiry.subjects[suspect->subject].task},
                                    {"sure", job::to_string(suspect->sure)},
                                    {"place", suspect->place}});
  deps_.decider.enter(job::AttemptStalled{.attempt = member.attempt,
                                          .silent = member.quiet,
                                          .sure = suspect->sure,
                                          .place = suspect->place,
                                          .evidence = suspect->evidence});
}

void StallJudge::send(uint64_t id, wire::StreamFrame::Kind kind) const {
  send_({.client = kJudgeClient, .who = "muster", .from = {}}, {id, std::move(kind)});
}

}  // namespace muster::master
