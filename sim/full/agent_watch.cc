#include "sim/full/agent_watch.h"

#include <fmt/format.h>

namespace muster::sim {

std::string AgentWatch::logged(const job::Fact& fact, std::span<const job::Action> actions) {
  for (const job::Action& action : actions) {
    if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
      ordered_.emplace(start->attempt, start->generation);
    }
  }
  if (const auto* ended = std::get_if<job::AttemptEnded>(&fact)) {
    return look(*ended);
  }
  const auto* report = std::get_if<job::AgentReported>(&fact);
  return report == nullptr || impersonated_.contains(report->container) ? std::string()
                                                                        : look(*report);
}

std::string AgentWatch::look(const job::AgentReported& report) {
  const auto [known, is_new] =
      reported_.try_emplace(report.container, Reported{report.epoch, report.generation});
  Reported& last = known->second;
  if (report.epoch < last.epoch) {
    return fmt::format("{} obeys master {} after it has obeyed {}", report.container.value,
                       report.epoch.value, last.epoch.value);
  }
  if (report.generation < last.generation) {
    return fmt::format("{} goes back from generation {} to {}", report.container.value,
                       last.generation.value, report.generation.value);
  }
  last = {report.epoch, report.generation};
  return {};
}

std::string AgentWatch::look(const job::AttemptEnded& ended) const {
  const auto lived = truth_.newest.find(ended.attempt);
  if (lived == truth_.newest.end() || truth_.attempts[lived->second].ended) {
    return {};
  }
  return to_string(plan_, ended.attempt) + " is told to have ended, and it runs";
}

std::string AgentWatch::started(const TrueAttempt& attempt) const {
  if (ordered_.contains({attempt.id, attempt.generation})) {
    return {};
  }
  return fmt::format("{} is started in generation {}, and nobody ordered that",
                     to_string(plan_, attempt.id), attempt.generation.value);
}

}  // namespace muster::sim
