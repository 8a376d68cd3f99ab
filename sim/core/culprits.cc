#include "sim/core/culprits.h"

#include "base/overloaded.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::sim {
namespace {

constexpr std::string_view kStartOver = "the whole job to start over";

/// Returns whether the fact says how a container or its agent ended; others only show that it did.
bool says_why(const job::Fact& fact) {
  return std::holds_alternative<job::ContainerEnded>(fact) ||
         std::holds_alternative<job::AgentLost>(fact) ||
         std::holds_alternative<job::LaunchFailed>(fact) ||
         std::holds_alternative<job::HostReported>(fact);
}

}  // namespace

void Culprits::heard(Time now, const job::Fact& fact, std::span<const job::Action> actions,
                     const job::Machine& machine) {
  note_exits(fact, machine);
  note_ends(now, fact, machine);
  note_orders(actions, machine);
}

// An agent can report whatever it likes about an attempt that runs elsewhere.
void Culprits::note_exits(const job::Fact& fact, const job::Machine& machine) {
  std::visit(
      Overloaded{[&](const job::AttemptEnded& ended) { exits_.emplace(ended.attempt, ended.exit); },
                 [&](const job::AgentReported& reported) {
                   for (const job::AttemptReport& report : reported.attempts) {
                     const job::Attempt* known = machine.state().find_attempt(report.attempt);
                     if (report.exit && known != nullptr &&
                         known->container == reported.container) {
                       exits_.emplace(report.attempt, *report.exit);
                     }
                   }
                 },
                 [](const auto&) {}},
      fact);
}

void Culprits::note_ends(Time now, const job::Fact& fact, const job::Machine& machine) {
  const auto* passed = std::get_if<job::DeadlinePassed>(&fact);
  const bool stop_passed = passed != nullptr && stop_deadlines_.contains(passed->deadline);
  std::vector<End*> ended;
  for (const auto& role : machine.state().tasks) {
    for (const job::Task& task : role) {
      for (size_t i = task.attempts.size(); i > 0 && i + 3 > task.attempts.size(); --i) {
        const job::Attempt& attempt = task.attempts[i - 1];
        const job::AttemptId id{task.id, attempt.number};
        if (attempt.state != job::AttemptState::Ended || ends_.contains(id)) {
          continue;
        }
        End& end = ends_[id];
        end.at = now;
        end.container = attempt.container;
        end.host = attempt.host;
        end.start_overs = start_overs_;
        end.ordered = told_to_stop_.contains(id) || given_back_.contains(attempt.container);
        if (const auto exit = exits_.find(id); exit != exits_.end()) {
          end.exit = exit->second;
        } else {
          end.taken_by = fact;
          end.outlived = stop_passed;
        }
        ended.push_back(&end);
      }
    }
  }
  for (End* each : ended) {
    each->alone = ended.size() == 1;
  }
}

void Culprits::note_orders(std::span<const job::Action> actions, const job::Machine& machine) {
  for (const job::Action& action : actions) {
    std::visit(Overloaded{[&](const job::StopAttempt& stop) { told_to_stop_.insert(stop.attempt); },
                          [&](const job::ReleaseContainer& release) {
                            given_back_.insert(release.container);
                          },
                          [&](const job::SetDeadline& set) {
                            if (set.kind == job::DeadlineKind::Stop) {
                              stop_deadlines_.insert(set.deadline);
                            }
                            start_overs_ += set.waits_for == kStartOver ? 1 : 0;
                          },
                          [](const auto&) {}},
               action);
  }
  if (machine.state().phase < job::JobPhase::Stopping) {
    return;
  }
  // From here on everything has been told to end.
  for (const auto& [id, container] : machine.state().containers) {
    given_back_.insert(id);
  }
}

Guilt Culprits::of(job::AttemptId attempt, const Truth& truth) const {
  const auto found = ends_.find(attempt);
  if (found == ends_.end()) {
    return Guilt::None;
  }
  const End& end = found->second;
  return end.exit ? of_exit(attempt, end, truth) : of_loss(end, truth);
}

Guilt Culprits::of_exit(job::AttemptId attempt, const End& end, const Truth& truth) const {
  const bool by_its_agents_word = truth.origin_containers.contains(end.container);
  if (end.exit->succeeded()) {
    // An agent that reports falsely can name what never ran.
    return by_its_agents_word && !truth.newest.contains(attempt) ? Guilt::Possible : Guilt::None;
  }
  if (truth.liars.contains(attempt)) {
    return Guilt::Possible;
  }
  if (truth.caused_by.contains(attempt)) {
    return may_be_its_own_origin(attempt, end, truth) ? Guilt::Possible : Guilt::None;
  }
  if (!truth.origins.contains(attempt)) {
    // Its agent could not keep what it needed, or was cut off from it.
    return by_its_agents_word ? Guilt::Possible : Guilt::None;
  }
  return end.ordered || !end.alone ? Guilt::Possible : Guilt::Sure;
}

// The machine may not know better if the true origin is a liar, or was heard of too late, or too
// long before. Victims of one that is given up, while its job goes on, answer for themselves.
bool Culprits::may_be_its_own_origin(job::AttemptId victim, const End& end,
                                     const Truth& truth) const {
  const job::AttemptId origin = truth.caused_by.at(victim);
  const auto heard = ends_.find(origin);
  const Duration lost = plan_.liveness.lost;
  return was_given_up(origin, truth) || truth.liars.contains(origin) || heard == ends_.end() ||
         heard->second.ordered || heard->second.at > end.at + lost ||
         end.at - end.exit->age > heard->second.at + lost;
}

// No other attempt of its task ran, or only after the whole job had started over.
bool Culprits::was_given_up(job::AttemptId origin, const Truth& truth) const {
  const auto next = truth.newest.upper_bound(origin);
  if (next == truth.newest.end() || next->first.task != origin.task) {
    return true;
  }
  const auto last = ends_.find(origin);
  const auto later = ends_.find(next->first);
  return last != ends_.end() && later != ends_.end() &&
         later->second.start_overs > last->second.start_overs;
}

Guilt Culprits::of_loss(const End& end, const Truth& truth) const {
  if (!says_why(*end.taken_by)) {
    return Guilt::Possible;
  }
  if (!truth.origin_containers.contains(end.container)) {
    return Guilt::None;
  }
  return end.ordered || !end.alone || another_stands_for(end) ? Guilt::Possible : Guilt::Sure;
}

bool Culprits::another_stands_for(const End& end) const {
  return std::ranges::any_of(ends_, [&](const auto& entry) {
    const End& other = entry.second;
    return other.taken_by && other.host == end.host && other.container != end.container &&
           other.at <= end.at;
  });
}

const job::Exit* Culprits::exit_of(job::AttemptId attempt) const {
  const auto found = ends_.find(attempt);
  return found == ends_.end() || !found->second.exit ? nullptr : &*found->second.exit;
}

const job::Fact* Culprits::taken_by(job::AttemptId attempt) const {
  const auto found = ends_.find(attempt);
  return found == ends_.end() || !found->second.taken_by ? nullptr : &*found->second.taken_by;
}

bool Culprits::outlived_its_stop(job::AttemptId attempt) const {
  const auto found = ends_.find(attempt);
  return found != ends_.end() && found->second.outlived;
}

}  // namespace muster::sim
