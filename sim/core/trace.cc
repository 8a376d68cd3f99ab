#include "sim/core/trace.h"

#include <fmt/format.h>

#include <cstdio>

namespace muster::sim {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string exit_text(const job::Exit& exit) {
  std::string text = exit.signal ? fmt::format("signal {}", *exit.signal)
                                 : fmt::format("code {}", exit.exit_code.value_or(-1));
  return exit.failure ? text + " (" + exit.failure->class_name + ")" : text;
}

std::string phase_text(job::AttemptReport::Phase phase) {
  switch (phase) {
    case job::AttemptReport::Phase::Preparing:
      return "preparing";
    case job::AttemptReport::Phase::Joined:
      return "joined";
    case job::AttemptReport::Phase::Running:
      return "running";
    case job::AttemptReport::Phase::Ended:
      return "ended";
  }
  return "?";
}

}  // namespace

std::string describe(const job::Plan& plan, const job::Fact& fact) {
  const std::string name(job::name_of(fact));
  return name +
         std::visit(
             Overloaded{
                 [&](const job::ContainerGranted& f) {
                   return fmt::format(" r{} {} on {}", f.request.value, f.container.value,
                                      f.host.value);
                 },
                 [&](const job::RequestRefused& f) {
                   return fmt::format(" r{} {}", f.request.value, job::to_string(f.kind));
                 },
                 [&](const job::LaunchFailed& f) { return " " + f.container.value; },
                 [&](const job::AgentJoined& f) { return " " + f.container.value; },
                 [&](const job::AgentReported& f) {
                   std::string text = " " + f.container.value;
                   for (const job::AttemptReport& report : f.attempts) {
                     text += fmt::format(" [{} {}]", to_string(plan, report.attempt),
                                         phase_text(report.phase));
                   }
                   return text;
                 },
                 [&](const job::AgentSuspected& f) { return " " + f.container.value; },
                 [&](const job::AgentLost& f) {
                   return fmt::format(" {} {}", f.container.value, job::to_string(f.reason));
                 },
                 [&](const job::AttemptJoined& f) { return " " + to_string(plan, f.attempt); },
                 [&](const job::AttemptStarted& f) { return " " + to_string(plan, f.attempt); },
                 [&](const job::AttemptEnded& f) {
                   return " " + to_string(plan, f.attempt) + " " + exit_text(f.exit);
                 },
                 [&](const job::ContainerEnded& f) {
                   return fmt::format(" {} {}", f.container.value, job::to_string(f.kind));
                 },
                 [&](const job::CheckpointCommitted& f) {
                   return fmt::format(" {} g{}", to_string(plan, f.attempt), f.generation.value);
                 },
                 [&](const job::HostReported& f) {
                   return fmt::format(" {} {}", f.host.value, job::to_string(f.health));
                 },
                 [&](const job::PreemptionNoticed& f) { return " " + f.container.value; },
                 [&](const job::DeadlinePassed& f) {
                   return fmt::format(" d{}", f.deadline.value);
                 },
                 [&](const job::MasterRecovered& f) {
                   return fmt::format(" epoch {}", f.epoch.value);
                 },
                 [](const auto&) { return std::string(); },
             },
             fact);
}

std::string describe(const job::Plan& plan, const job::Action& action) {
  const std::string name(job::name_of(action));
  return name +
         std::visit(
             Overloaded{
                 [&](const job::RequestContainer& a) {
                   return fmt::format(" r{} {} avoid {}", a.request.value, plan.role(a.role).name,
                                      a.avoid.size());
                 },
                 [&](const job::CancelRequest& a) { return fmt::format(" r{}", a.request.value); },
                 [&](const job::LaunchAgent& a) { return " " + a.container.value; },
                 [&](const job::ReleaseContainer& a) { return " " + a.container.value; },
                 [&](const job::PrepareAttempt& a) {
                   return fmt::format(" {} {}", to_string(plan, a.attempt), a.container.value);
                 },
                 [&](const job::StartAttempt& a) {
                   return fmt::format(" {} g{}", to_string(plan, a.attempt), a.generation.value);
                 },
                 [&](const job::StopAttempt& a) {
                   return fmt::format(" {} {}", to_string(plan, a.attempt),
                                      job::to_string(a.reason));
                 },
                 [&](const job::SetDeadline& a) {
                   return fmt::format(" d{} at {:.3f} s", a.deadline.value,
                                      static_cast<double>(a.at.time_since_epoch().count()) / 1e6);
                 },
                 [&](const job::ClearDeadline& a) { return fmt::format(" d{}", a.deadline.value); },
                 [](const job::Reconcile&) { return std::string(); },
                 [&](const job::Finish& a) {
                   return fmt::format(" {} {}", job::to_string(a.outcome.result),
                                      a.outcome.class_name);
                 },
             },
             action);
}

void trace(Time now, const job::Plan& plan, const job::Fact& fact,
           std::span<const job::Action> actions) {
  std::string line =
      fmt::format("{:10.4f}  {}\n", static_cast<double>(now.time_since_epoch().count()) / 1e6,
                  describe(plan, fact));
  for (const job::Action& action : actions) {
    line += "              -> " + describe(plan, action) + "\n";
  }
  std::fputs(line.c_str(), stdout);
}

}  // namespace muster::sim
