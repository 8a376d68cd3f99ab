#include "job/parts/blame.h"

#include "job/parts/early_ends.h"
#include "job/parts/lives.h"
#include "job/parts/turn.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace muster::job {

Blame::Blame(const Deps& deps)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      victim_of_(deps.plan) {}

Blame::Answer Blame::failed(Cause cause) {
  drop_given_up();
  const TaskId id = cause.task();
  if (cause.first.failure.kind != FailureKind::PeerLoss || !ran(cause)) {
    return settle(std::move(cause), {});
  }
  if (is_late_victim(cause)) {
    victim_of_[id] = cured_.number;
    lives_.set_part(cause.first.attempt, Part::Victim);
    return LateVictim{id};
  }
  losses_.push_back(std::move(cause));
  if (lives_.sum().started == 0) {
    return *settle_losses();
  }
  if (!timer_.is_set()) {
    extended_ = false;
    timer_ = timers_.set(BlameTimer{}, turn_.now + plan_.liveness.lost,
                         "the origin of lost connections");
  }
  return Waits{};
}

std::optional<Blame::Verdict> Blame::failed_together(std::vector<Cause> causes) {
  if (causes.empty()) {
    return std::nullopt;
  }
  drop_given_up();
  auto first = std::ranges::find_if(causes, [&](const Cause& cause) { return ran(cause); });
  if (first == causes.end()) {
    first = causes.begin();
  }
  Cause origin = std::move(*first);
  causes.erase(first);
  return settle(std::move(origin), std::move(causes));
}

// The verdict on a silent agent may be under way: while an agent is suspected, blame waits once
// more.
std::optional<Blame::Verdict> Blame::passed() {
  timer_ = {};
  const bool suspects = std::ranges::any_of(
      lives_.state().containers, [](const auto& entry) { return entry.second.suspected; });
  if (suspects && !extended_) {
    extended_ = true;
    timer_ =
        timers_.set(BlameTimer{}, turn_.now + plan_.liveness.lost, "the verdict on a silent agent");
    return std::nullopt;
  }
  return settle_losses();
}

void Blame::wait_again() {
  if (timer_.is_set()) {
    timers_.put_off(timer_, turn_.now + 2 * plan_.liveness.lost);
  }
}

// Nobody else is to blame: the earliest loss is its own origin. A task that left well before may be
// the reason, but it has not failed.
std::optional<Blame::Verdict> Blame::settle_losses() {
  drop_given_up();
  if (losses_.empty()) {
    return std::nullopt;
  }
  const auto earliest = std::ranges::min_element(losses_, {}, &Cause::at);
  Cause origin = std::move(*earliest);
  losses_.erase(earliest);
  if (const std::string left = describe_early_ends(plan_, lives_.state(), origin); !left.empty()) {
    std::string& hint = origin.first.failure.hint;
    hint += (hint.empty() ? "" : "; ") + left;
  }
  return settle(std::move(origin), {});
}

Blame::Verdict Blame::settle(Cause origin, std::vector<Cause> victims) {
  const bool has_run = ran(origin);
  if (has_run) {
    std::ranges::move(std::exchange(losses_, {}), std::back_inserter(victims));
    timers_.clear(timer_);
  }
  origin.first.victims = static_cast<uint32_t>(victims.size());
  const bool host_lost = origin.rung == Rung::Infrastructure && origin.harms_host;
  const bool charged_before = host_lost && is_charged(origin.first.host);
  uint32_t wave = 0;
  if (host_lost) {
    LostHost& host = hosts_[origin.first.host];
    if (!charged_before) {
      host = {.at = turn_.now};
    }
    if (has_run && host.wave == 0) {
      begin_wave(charged_before);
      host.wave = newest_.number;
    }
    wave = host.wave;
  } else if (has_run) {
    begin_wave(false);
    wave = newest_.number;
  }
  lives_.set_part(origin.first.attempt, charged_before ? Part::Victim : Part::Origin);
  for (const Cause& victim : victims) {
    lives_.set_part(victim.first.attempt, Part::Victim);
    uint32_t& last = victim_of_[victim.task()];
    last = std::max(last, wave);
  }
  return {
      .origin = std::move(origin), .victims = std::move(victims), .charged_before = charged_before};
}

std::vector<TaskId> Blame::absorb() {
  drop_given_up();
  std::vector<TaskId> absorbed;
  std::erase_if(losses_, [&](const Cause& loss) {
    if (plan_.role(loss.task().role).membership == spec::Membership::Independent) {
      return false;
    }
    lives_.set_part(loss.first.attempt, Part::Victim);
    absorbed.push_back(loss.task());
    return true;
  });
  if (losses_.empty()) {
    timers_.clear(timer_);
  }
  return absorbed;
}

void Blame::forget() {
  losses_.clear();
  timers_.clear(timer_);
}

void Blame::started_over() {
  forget();
  cured_ = newest_;
  for (auto& [name, host] : hosts_) {
    host.cured = true;
  }
}

void Blame::begin_wave(bool cured) {
  newest_ = {.number = newest_.number + 1, .at = turn_.now};
  if (cured) {
    cured_ = newest_;
  }
}

void Blame::cured(const Cause& cause) {
  if (ran(cause)) {
    cured_ = newest_;
  }
  const auto host = hosts_.find(cause.first.host);
  if (host != hosts_.end() && host->second.at == turn_.now) {
    host->second.cured = true;
  }
}

bool Blame::ran(const Cause& cause) const {
  const Attempt* attempt = lives_.state().find_attempt(cause.first.attempt);
  return attempt != nullptr && attempt->generation.value != 0;
}

// Once per wave: if a task keeps losing its peers, there must be another reason. Judged by the time
// of the end: what a new master, or one that was suspended, is told may be long past.
bool Blame::is_late_victim(const Cause& loss) const {
  return victim_of_[loss.task()] < cured_.number && loss.at - cured_.at <= plan_.liveness.lost;
}

bool Blame::is_charged(const HostName& host) const {
  const auto lost = hosts_.find(host);
  return lost != hosts_.end() && lost->second.cured &&
         turn_.now - lost->second.at <= plan_.liveness.lost;
}

// A task given up while it was waiting needs no origin.
bool Blame::given_up(const Cause& loss) const {
  const TaskState state = lives_.task(loss.task()).state;
  return state == TaskState::Failed || state == TaskState::Stopped;
}

void Blame::drop_given_up() {
  std::erase_if(losses_, [&](const Cause& loss) { return given_up(loss); });
}

std::vector<TaskId> Blame::waiting() const {
  std::vector<TaskId> tasks;
  for (const Cause& loss : losses_) {
    if (!given_up(loss)) {
      tasks.push_back(loss.task());
    }
  }
  return tasks;
}

}  // namespace muster::job
