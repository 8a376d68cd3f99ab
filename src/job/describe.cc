#include "job/describe.h"

#include <fmt/format.h>

namespace muster::job {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::string exit_text(const Exit& exit) {
  std::string text = exit.signal ? fmt::format("signal {}", *exit.signal)
                                 : fmt::format("code {}", exit.exit_code.value_or(-1));
  return exit.failure ? text + " (" + exit.failure->class_name + ")" : text;
}

std::string phase_text(AttemptReport::Phase phase) {
  switch (phase) {
    case AttemptReport::Phase::Preparing:
      return "preparing";
    case AttemptReport::Phase::Joined:
      return "joined";
    case AttemptReport::Phase::Running:
      return "running";
    case AttemptReport::Phase::Ended:
      return "ended";
  }
  return "?";
}

}  // namespace

std::string count_of(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string describe(const Plan& plan, const FirstCause& first) {
  std::string how = first.failure.class_name == Failure::kStalled ? "hangs" : "failed";
  if (first.exit_code) {
    how = fmt::format("ended with exit code {}", *first.exit_code);
  } else if (first.signal) {
    how = fmt::format("ended by signal {}", *first.signal);
  }
  return fmt::format("{} {} ({})", to_string(plan, first.attempt.task), how,
                     first.failure.class_name);
}

std::string sentence(const NoticeTold& told) {
  switch (told.fate) {
    case NoticeFate::Delivered:
      return fmt::format("the notice `{}` was delivered by {}", told.notice, to_string(told.way));
    case NoticeFate::Failing:
      return fmt::format("the notice `{}` cannot be delivered by {} yet: {}", told.notice,
                         to_string(told.way), told.trouble);
    case NoticeFate::GivenUp:
      return fmt::format("the notice `{}` was not delivered by {}, given up after {}: {}",
                         told.notice, to_string(told.way), count_of(told.tries, "attempt"),
                         told.trouble);
  }
  return "";
}

std::string describe(const Plan& plan, const Fact& fact) {
  const std::string name(name_of(fact));
  return name +
         std::visit(
             Overloaded{
                 [&](const ContainerGranted& f) {
                   return fmt::format(" r{} {} on {}", f.request.value, f.container.value,
                                      f.host.value);
                 },
                 [&](const RequestRefused& f) {
                   return fmt::format(" r{} {}", f.request.value, to_string(f.kind));
                 },
                 [&](const LaunchFailed& f) { return " " + f.container.value; },
                 [&](const AgentJoined& f) { return " " + f.container.value; },
                 [&](const AgentReported& f) {
                   std::string text = " " + f.container.value;
                   for (const AttemptReport& report : f.attempts) {
                     text += fmt::format(" [{} {}]", to_string(plan, report.attempt),
                                         phase_text(report.phase));
                   }
                   return text;
                 },
                 [&](const AgentSuspected& f) { return " " + f.container.value; },
                 [&](const AgentLost& f) {
                   return fmt::format(" {} {}", f.container.value, to_string(f.reason));
                 },
                 [&](const AttemptJoined& f) { return " " + to_string(plan, f.attempt); },
                 [&](const AttemptStarted& f) { return " " + to_string(plan, f.attempt); },
                 [&](const AttemptEnded& f) {
                   return " " + to_string(plan, f.attempt) + " " + exit_text(f.exit);
                 },
                 [&](const ContainerEnded& f) {
                   return fmt::format(" {} {}", f.container.value, to_string(f.kind));
                 },
                 [&](const CheckpointCommitted& f) {
                   return fmt::format(" {} g{}", to_string(plan, f.attempt), f.generation.value);
                 },
                 [&](const HostReported& f) {
                   return fmt::format(" {} {}", f.host.value, to_string(f.health));
                 },
                 [&](const PreemptionNoticed& f) { return " " + f.container.value; },
                 [&](const DeadlinePassed& f) { return fmt::format(" d{}", f.deadline.value); },
                 [&](const MasterRecovered& f) { return fmt::format(" epoch {}", f.epoch.value); },
                 [&](const SessionOpened& f) {
                   return fmt::format(" {} {}", to_string(plan, f.attempt), f.verb);
                 },
                 [&](const SessionDetached& f) {
                   return fmt::format(" {} {}", to_string(plan, f.attempt), f.what);
                 },
                 [&](const NoticeTold& f) {
                   return fmt::format(" {} by {} {}", f.notice, to_string(f.way),
                                      to_string(f.fate));
                 },
                 [](const auto&) { return std::string(); },
             },
             fact);
}

std::string describe(const Plan& plan, const Action& action) {
  const std::string name(name_of(action));
  return name +
         std::visit(
             Overloaded{
                 [&](const RequestContainer& a) {
                   return fmt::format(" r{} {} avoid {}", a.request.value, plan.role(a.role).name,
                                      a.avoid.size());
                 },
                 [&](const CancelRequest& a) { return fmt::format(" r{}", a.request.value); },
                 [&](const LaunchAgent& a) { return " " + a.container.value; },
                 [&](const ReleaseContainer& a) { return " " + a.container.value; },
                 [&](const PrepareAttempt& a) {
                   return fmt::format(" {} {}", to_string(plan, a.attempt), a.container.value);
                 },
                 [&](const StartAttempt& a) {
                   return fmt::format(" {} g{}", to_string(plan, a.attempt), a.generation.value);
                 },
                 [&](const StopAttempt& a) {
                   return fmt::format(" {} {}", to_string(plan, a.attempt), to_string(a.reason));
                 },
                 [&](const SetDeadline& a) {
                   return fmt::format(" d{} at {:.3f} s", a.deadline.value,
                                      static_cast<double>(a.at.time_since_epoch().count()) / 1e6);
                 },
                 [&](const ClearDeadline& a) { return fmt::format(" d{}", a.deadline.value); },
                 [](const Reconcile&) { return std::string(); },
                 [&](const Finish& a) {
                   return fmt::format(" {} {}", to_string(a.outcome.result), a.outcome.class_name);
                 },
             },
             action);
}

}  // namespace muster::job
