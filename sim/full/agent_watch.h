#pragma once

#include "job/action.h"
#include "job/fact.h"
#include "sim/core/truth.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace muster::sim {

/// Watches what agents do: they start only what the log's machine ordered, in the generation that
/// it named, report no end of what is still running, and none goes back to an older master or
/// generation than it has reported. Each call returns what is broken, in one sentence, or "".
class AgentWatch {
 public:
  AgentWatch(const job::Plan& plan, const Truth& truth) : plan_(plan), truth_(truth) {}

  /// A fact has reached the log, together with these actions.
  [[nodiscard]] std::string logged(const job::Fact& fact, std::span<const job::Action> actions);
  /// A program runs.
  [[nodiscard]] std::string started(const TrueAttempt& attempt) const;
  /// Somebody else speaks in this agent's name: its reports no longer mean anything.
  void impersonated(const job::ContainerId& container) { impersonated_.insert(container); }

 private:
  struct Reported {
    job::Epoch epoch;
    job::Generation generation;
  };
  std::string look(const job::AgentReported& report);
  [[nodiscard]] std::string look(const job::AttemptEnded& ended) const;

  const job::Plan& plan_;
  const Truth& truth_;
  std::set<std::pair<job::AttemptId, job::Generation>> ordered_;
  std::map<job::ContainerId, Reported> reported_;
  std::set<job::ContainerId> impersonated_;
};

}  // namespace muster::sim
