#include "job/parts/timers.h"

#include "base/overloaded.h"
#include "job/parts/turn.h"

namespace muster::job {

DeadlineKind kind_of(const Purpose& purpose) {
  return std::visit(Overloaded{[](const QueueTimer&) { return DeadlineKind::Queue; },
                               [](const GatherTimer&) { return DeadlineKind::Gather; },
                               [](const JoinTimer&) { return DeadlineKind::Join; },
                               [](const RunTimer&) { return DeadlineKind::Run; },
                               [](const BatchTimer&) { return DeadlineKind::Stop; },
                               [](const EndTimer&) { return DeadlineKind::Stop; },
                               [](const RestartTimer&) { return DeadlineKind::Backoff; },
                               [](const StartOverTimer&) { return DeadlineKind::Backoff; },
                               [](const AskTimer&) { return DeadlineKind::Ask; },
                               [](const HostReturnTimer&) { return DeadlineKind::Ask; },
                               [](const PardonTimer&) { return DeadlineKind::Ask; },
                               [](const HoldTimer&) { return DeadlineKind::Hold; },
                               [](const RegatherTimer&) { return DeadlineKind::Regather; },
                               [](const BlameTimer&) { return DeadlineKind::Blame; },
                               [](const FenceTimer&) { return DeadlineKind::Fence; },
                               [](const GroupTimer&) { return DeadlineKind::Group; }},
                    purpose);
}

DeadlineId Timers::add(Purpose purpose, Time at, std::string waits_for) {
  const DeadlineId id(++count_);
  const DeadlineKind kind = kind_of(purpose);
  turn_.act(SetDeadline{id, kind, at, waits_for});
  if (kind == DeadlineKind::Backoff) {
    turn_.wait_changed = true;
    backoffs_.insert(id);
  }
  pending_.emplace(id, Pending{std::move(purpose), at, std::move(waits_for)});
  return id;
}

void Timers::move_to(DeadlineId id, Time at) {
  Pending& moved = pending_.at(id);
  moved.at = at;
  turn_.act(SetDeadline{id, kind_of(moved.purpose), at, moved.waits_for});
}

void Timers::drop(DeadlineId id) {
  if (pending_.erase(id) > 0) {
    backoffs_.erase(id);
    turn_.act(ClearDeadline{id});
  }
}

std::optional<Purpose> Timers::pass(DeadlineId id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    return std::nullopt;
  }
  Purpose purpose = std::move(found->second.purpose);
  pending_.erase(found);
  const DeadlineKind kind = kind_of(purpose);
  if (kind == DeadlineKind::Backoff || kind == DeadlineKind::Ask) {
    turn_.wait_changed = true;
  }
  backoffs_.erase(id);
  return purpose;
}

void Timers::clear_all() {
  for (const auto& [id, timer] : std::exchange(pending_, {})) {
    turn_.act(ClearDeadline{id});
  }
  backoffs_.clear();
}

void Timers::set_again() const {
  for (const auto& [id, timer] : pending_) {
    turn_.act(SetDeadline{id, kind_of(timer.purpose), timer.at, timer.waits_for});
  }
}

const std::string* Timers::restart_wait() const {
  return backoffs_.empty() ? nullptr : &pending_.at(*backoffs_.begin()).waits_for;
}

}  // namespace muster::job
