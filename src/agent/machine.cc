#include "agent/machine.h"

#include "base/check.h"
#include "base/overloaded.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

constexpr int32_t kExitCannotRun = 127;
constexpr int32_t kSignalTerm = 15;
constexpr Duration kDismissGrace = std::chrono::seconds(1);

/// The exit of an attempt that could not be prepared or started.
job::Exit never_ran(job::Failure failure) {
  job::Exit exit;
  exit.exit_code = kExitCannotRun;
  exit.failure = std::move(failure);
  return exit;
}

/// The exit of an attempt that was stopped before it ran.
job::Exit stopped_before_start() {
  job::Exit exit;
  exit.signal = kSignalTerm;
  return exit;
}

job::Failure stopped_failure(job::StopReason reason) {
  job::Failure failure;
  failure.class_name = job::stopped_class(reason);
  failure.kind = job::FailureKind::Stopped;
  return failure;
}

job::Failure infrastructure_failure(std::string class_name, std::string evidence) {
  job::Failure failure;
  failure.class_name = std::move(class_name);
  failure.kind = job::FailureKind::Infrastructure;
  failure.evidence = std::move(evidence);
  return failure;
}

job::AttemptReport::Phase reported(Phase phase) {
  switch (phase) {
    case Phase::Waiting:
    case Phase::Preparing:
      return job::AttemptReport::Phase::Preparing;
    case Phase::Joined:
    case Phase::Starting:
      return job::AttemptReport::Phase::Joined;
    case Phase::Running:
      return job::AttemptReport::Phase::Running;
    case Phase::Ended:
      return job::AttemptReport::Phase::Ended;
  }
  MUSTER_CHECK(false, "a phase that is out of range");
}

}  // namespace

Machine::Machine(Settings settings, HostTime now)
    : settings_(std::move(settings)), epoch_(settings_.epoch), orphan_since_(now) {}

bool Machine::welcome(job::Epoch epoch) {
  if (epoch < epoch_) {
    return false;
  }
  epoch_ = epoch;
  return true;
}

void Machine::set_times(Duration orphan, Duration stop_grace) {
  settings_.orphan = orphan;
  settings_.stop_grace = stop_grace;
}

void Machine::connected() { orphan_since_ = HostTime::max(); }

void Machine::disconnected(HostTime now) { orphan_since_ = std::min(orphan_since_, now); }

Effects Machine::push_view(job::View view) {
  Effects effects;
  if (view.generation < generation_) {
    return effects;
  }
  generation_ = view.generation;
  view_ = std::move(view);
  advance(effects);
  return effects;
}

Effects Machine::order(HostTime now, const job::Action& action) {
  Effects effects;
  std::visit(Overloaded{
                 [&](const job::PrepareAttempt& prepare) { on_prepare(prepare, effects); },
                 [&](const job::StartAttempt& start) { on_start(start, now, effects); },
                 [&](const job::StopAttempt& stop) { on_stop(stop, now, effects); },
                 // These are for the master itself; no agent is sent one.
                 [](const job::RequestContainer&) {},
                 [](const job::CancelRequest&) {},
                 [](const job::LaunchAgent&) {},
                 [](const job::ReleaseContainer&) {},
                 [](const job::SetDeadline&) {},
                 [](const job::ClearDeadline&) {},
                 [](const job::Reconcile&) {},
                 [](const job::Finish&) {},
             },
             action);
  advance(effects);
  return effects;
}

void Machine::on_prepare(const job::PrepareAttempt& order, Effects& effects) {
  const auto known = attempts_.find(order.attempt);
  if (known != attempts_.end()) {
    repeat(order.attempt, known->second, effects);
    return;
  }
  const bool superseded = std::ranges::any_of(attempts_, [&](const auto& entry) {
    return entry.first.task == order.attempt.task && entry.first.number > order.attempt.number;
  });
  if (superseded || leaving()) {
    return;
  }
  Attempt attempt;
  attempt.order = order;
  attempts_.emplace(order.attempt, std::move(attempt));
  forget_older(order.attempt);
}

void Machine::on_start(const job::StartAttempt& order, HostTime now, Effects& effects) {
  if (order.generation < generation_) {
    return;  // Fenced: a newer membership exists.
  }
  const auto found = attempts_.find(order.attempt);
  if (found == attempts_.end()) {
    Attempt& attempt = attempts_[order.attempt];
    attempt.order.attempt = order.attempt;
    end(order.attempt, attempt,
        never_ran(infrastructure_failure("agent.unknown_attempt",
                                         "asked to start an attempt that was never prepared")),
        now, effects);
    return;
  }
  Attempt& attempt = found->second;
  if (attempt.phase == Phase::Running || attempt.phase == Phase::Ended) {
    repeat(order.attempt, attempt, effects);
    return;
  }
  attempt.start_in = order.generation;
}

void Machine::on_stop(const job::StopAttempt& order, HostTime now, Effects& effects) {
  // A stop of an unknown attempt leaves its mark, so that a late PrepareAttempt does not revive it.
  Attempt& attempt = attempts_[order.attempt];
  attempt.order.attempt = order.attempt;
  if (attempt.phase == Phase::Ended) {
    repeat(order.attempt, attempt, effects);
    return;
  }
  stop_attempt(order.attempt, attempt, stopped_failure(order.reason),
               {.interrupt = order.interrupt, .grace = order.grace}, now, effects);
}

void Machine::stop_attempt(job::AttemptId id, Attempt& attempt, const job::Failure& reason,
                           job::StopTimes times, HostTime now, Effects& effects) {
  const bool first = !attempt.stop.has_value();
  if (first && attempt.phase != Phase::Ended) {
    attempt.stop = reason;
  }
  switch (attempt.phase) {
    case Phase::Waiting:
    case Phase::Preparing:
    case Phase::Joined:
      if (attempt.phase == Phase::Joined) {
        effects.emplace_back(Drop{id});
      }
      end(id, attempt, stopped_before_start(), now, effects);
      return;
    case Phase::Starting:
    case Phase::Running:
      attempt.kill_at = std::min(attempt.kill_at, now + times.grace);
      tell_to_stop(id, attempt, first, now + times.interrupt, now, effects);
      return;
    case Phase::Ended:
      return;
  }
}

void Machine::tell_to_stop(job::AttemptId id, Attempt& attempt, bool first, HostTime term_at,
                           HostTime now, Effects& effects) {
  const bool runs = attempt.phase == Phase::Running;
  if (!first && attempt.term_at == HostTime::max()) {
    return;  // It has already had TERM.
  }
  if (term_at > now) {
    attempt.term_at = std::min(attempt.term_at, term_at);
    if (first && runs) {
      effects.emplace_back(Interrupt{id});
    }
    return;
  }
  attempt.term_at = HostTime::max();
  if (runs) {
    effects.emplace_back(Terminate{id});
  }
}

void Machine::end(job::AttemptId id, Attempt& attempt, job::Exit exit, HostTime now,
                  Effects& effects) {
  if (attempt.stop && exit.exit_code != 0) {
    exit.failure = attempt.stop;
  }
  attempt.phase = Phase::Ended;
  attempt.kill_at = HostTime::max();
  attempt.ended_at = now;
  attempt.exit = std::move(exit);
  effects.emplace_back(Tell{job::AttemptEnded{id, attempt.exit}});
}

void Machine::repeat(job::AttemptId id, const Attempt& attempt, Effects& effects) const {
  switch (attempt.phase) {
    case Phase::Waiting:
    case Phase::Preparing:
      return;
    case Phase::Joined:
    case Phase::Starting:
      effects.emplace_back(Tell{job::AttemptJoined{id, attempt.address}});
      return;
    case Phase::Running:
      effects.emplace_back(Tell{job::AttemptStarted{id, attempt.pid}});
      return;
    case Phase::Ended:
      effects.emplace_back(Tell{job::AttemptEnded{id, attempt.exit}});
      return;
  }
}

bool Machine::task_is_free_for(job::AttemptId id) const {
  return std::ranges::none_of(attempts_, [&](const auto& entry) {
    return entry.first.task == id.task && entry.first.number < id.number &&
           (entry.second.phase != Phase::Ended || entry.second.shell_busy);
  });
}

void Machine::advance(Effects& effects) {
  for (auto& [id, attempt] : attempts_) {
    if (attempt.phase == Phase::Waiting && task_is_free_for(id)) {
      attempt.phase = Phase::Preparing;
      attempt.shell_busy = true;
      effects.emplace_back(Prepare{attempt.order});
    }
    // An attempt whose generation went by while it waited never starts: the next generation orders
    // its own.
    if (attempt.phase == Phase::Joined && attempt.start_in && view(*attempt.start_in) != nullptr) {
      attempt.phase = Phase::Starting;
      attempt.shell_busy = true;
      attempt.generation = *attempt.start_in;
      effects.emplace_back(Start{id, attempt.generation});
    }
  }
  if (leaving() && !anything_lives() && !quit_told_) {
    quit_told_ = true;
    effects.emplace_back(Quit{*quit_reason_});
  }
}

void Machine::forget_older(job::AttemptId id) {
  std::erase_if(attempts_, [&](const auto& entry) {
    return entry.first.task == id.task && entry.first.number < id.number &&
           entry.second.phase == Phase::Ended && !entry.second.shell_busy;
  });
}

Effects Machine::dismiss(HostTime now, std::string reason) {
  Effects effects;
  stop_everything(now, std::min(settings_.stop_grace, kDismissGrace),
                  stopped_failure(job::StopReason::JobEnds), std::move(reason), effects);
  return effects;
}

Effects Machine::leave(HostTime now, Duration grace, std::string reason) {
  Effects effects;
  const job::Failure failure = infrastructure_failure("container.terminated", reason);
  stop_everything(now, std::min(settings_.stop_grace, grace), failure, std::move(reason), effects);
  return effects;
}

void Machine::stop_everything(HostTime now, Duration grace, const job::Failure& reason,
                              std::string why, Effects& effects) {
  if (!quit_reason_) {
    quit_reason_ = std::move(why);
  }
  for (auto& [id, attempt] : attempts_) {
    stop_attempt(id, attempt, reason, {.interrupt = {}, .grace = grace}, now, effects);
  }
  advance(effects);
}

bool Machine::anything_lives() const {
  return std::ranges::any_of(attempts_, [](const auto& entry) {
    return entry.second.phase == Phase::Starting || entry.second.phase == Phase::Running;
  });
}

Effects Machine::prepared(job::AttemptId id, job::Address address) {
  Effects effects;
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) {
    return {Drop{id}};
  }
  Attempt& attempt = found->second;
  attempt.shell_busy = false;
  if (attempt.phase != Phase::Preparing) {
    effects.emplace_back(Drop{id});
  } else {
    attempt.phase = Phase::Joined;
    attempt.address = std::move(address);
    effects.emplace_back(Tell{job::AttemptJoined{id, attempt.address}});
  }
  advance(effects);
  return effects;
}

Effects Machine::prepare_failed(job::AttemptId id, job::Failure failure, HostTime now) {
  Effects effects;
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) {
    return effects;
  }
  found->second.shell_busy = false;
  if (found->second.phase == Phase::Preparing) {
    end(id, found->second, never_ran(std::move(failure)), now, effects);
  }
  advance(effects);
  return effects;
}

Effects Machine::started(job::AttemptId id, int32_t pid) {
  Effects effects;
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.phase != Phase::Starting) {
    return effects;
  }
  Attempt& attempt = found->second;
  attempt.shell_busy = false;
  attempt.phase = Phase::Running;
  attempt.pid = pid;
  effects.emplace_back(Tell{job::AttemptStarted{id, pid}});
  if (attempt.stop && attempt.term_at != HostTime::max()) {
    effects.emplace_back(Interrupt{id});
  } else if (attempt.stop) {
    effects.emplace_back(Terminate{id});
  }
  return effects;
}

Effects Machine::start_failed(job::AttemptId id, job::Failure failure, HostTime now) {
  return ended(id, never_ran(std::move(failure)), now);
}

Effects Machine::ended(job::AttemptId id, job::Exit exit, HostTime now) {
  Effects effects;
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.phase == Phase::Ended) {
    return effects;
  }
  found->second.shell_busy = false;
  end(id, found->second, std::move(exit), now, effects);
  advance(effects);
  return effects;
}

HostTime Machine::due() const {
  HostTime due = HostTime::max();
  if (orphan_since_ != HostTime::max() && !leaving()) {
    due = orphan_since_ + settings_.orphan;
  }
  for (const auto& [id, attempt] : attempts_) {
    due = attempt.phase == Phase::Running ? std::min({due, attempt.term_at, attempt.kill_at}) : due;
  }
  return due;
}

Effects Machine::tick(HostTime now) {
  Effects effects;
  if (orphan_since_ != HostTime::max() && !leaving() && now >= orphan_since_ + settings_.orphan) {
    const std::string why = "no master returned within " + format_duration(settings_.orphan);
    stop_everything(now, settings_.stop_grace, infrastructure_failure("agent.orphaned", why), why,
                    effects);
  }
  for (auto& [id, attempt] : attempts_) {
    if (attempt.phase == Phase::Running && now >= attempt.term_at) {
      attempt.term_at = HostTime::max();
      effects.emplace_back(Terminate{id});
    }
    if (attempt.phase == Phase::Running && now >= attempt.kill_at) {
      attempt.kill_at = HostTime::max();
      effects.emplace_back(Kill{id});
    }
  }
  return effects;
}

job::AgentReported Machine::report(HostTime now) const {
  job::AgentReported report;
  report.container = settings_.container;
  report.address = settings_.address;
  report.epoch = epoch_;
  report.generation = generation_;
  for (const auto& [id, attempt] : attempts_) {
    job::AttemptReport& line = report.attempts.emplace_back();
    line.attempt = id;
    line.phase = reported(attempt.phase);
    line.address = attempt.address;
    line.generation = attempt.generation;
    if (attempt.phase == Phase::Ended) {
      line.exit = attempt.exit;
      line.exit->age = now - attempt.ended_at;
    }
  }
  return report;
}

const job::View* Machine::view(job::Generation generation) const {
  return view_ && view_->generation == generation ? &*view_ : nullptr;
}

bool Machine::stopping(job::AttemptId id) const {
  const auto found = attempts_.find(id);
  return found != attempts_.end() && found->second.stop.has_value();
}

std::optional<Phase> Machine::phase(job::AttemptId id) const {
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? std::nullopt : std::optional(found->second.phase);
}

}  // namespace muster::agent
