#include "client/follow/progress.h"

#include "base/text.h"
#include "job/describe.h"
#include "job/task_page.h"
#include "stacks/stack_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace muster::client {
namespace {

/// "1st", "2nd", "3rd", "4th", "11th".
std::string ordinal(uint64_t number) {
  const uint64_t tens = number / 10 % 10;
  const uint64_t ones = number % 10;
  const bool plain = tens == 1 || ones == 0 || ones > 3;
  constexpr std::array<std::string_view, 4> kEndings = {"th", "st", "nd", "rd"};
  return fmt::format("{}{}", number, kEndings[plain ? 0 : ones]);
}

using job::AttemptState;
using job::ContainerState;
using job::TaskState;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

void count_task(const job::Task& task, Progress& progress) {
  switch (task.state) {
    case TaskState::Succeeded:
      ++progress.succeeded;
      return;
    case TaskState::Failed:
      ++progress.failed;
      return;
    case TaskState::Active:
      break;
    case TaskState::Waiting:
    case TaskState::Stopped:
      return;
  }
  if (task.attempts.empty()) {
    return;
  }
  switch (task.attempts.back().state) {
    case AttemptState::Joined:
      ++progress.joined;
      return;
    case AttemptState::Running:
      ++progress.joined;
      ++progress.running;
      return;
    case AttemptState::Placed:
    case AttemptState::Stopping:
    case AttemptState::Ended:
      return;
  }
}

/// Returns how many tasks an elastic role has now; "" if its size is fixed.
std::string size_of(const job::Machine& machine, job::RoleIndex index) {
  const job::RolePlan& role = machine.plan().role(index);
  if (role.tasks_min == role.tasks) {
    return "";
  }
  const auto tasks =
      std::ranges::count_if(machine.state().tasks[index.value], [](const job::Task& task) {
        return !task.attempts.empty() && task.attempts.back().state == AttemptState::Running;
      });
  return fmt::format("{} now has {} (min {}, max {})", role.name,
                     job::count_of(static_cast<size_t>(tasks), "task"), role.tasks_min, role.tasks);
}

/// Says that an elastic role has grown.
std::optional<std::string> narrate_start(const job::Machine& machine, job::AttemptId id) {
  const job::Attempt* started = machine.state().find_attempt(id);
  const std::string size = size_of(machine, id.task.role);
  if (started == nullptr || size.empty() || id.number != 1) {
    return std::nullopt;
  }
  const bool later =
      std::ranges::any_of(machine.state().tasks[id.task.role.value], [&](const job::Task& task) {
        return std::ranges::any_of(task.attempts, [&](const job::Attempt& before) {
          return before.generation.value != 0 && before.generation < started->generation;
        });
      });
  return later ? std::optional(to_string(machine.plan(), id.task) + " joins: " + size)
               : std::nullopt;
}

std::string narrate_end(const job::Machine& machine, const job::AttemptEnded& ended) {
  const job::State& state = machine.state();
  const std::string task = to_string(machine.plan(), ended.attempt.task);
  std::string line = fmt::format("{} ended: {}", task, describe_exit(ended.exit));
  if (ended.exit.failure) {
    line += fmt::format(" ({})", ended.exit.failure->class_name);
  }
  const job::Task& now = state.task(ended.attempt.task);
  const bool over = state.outcome.has_value() || state.phase == job::JobPhase::Stopping;
  if (now.state == TaskState::Failed) {
    const std::string size = over ? "" : size_of(machine, ended.attempt.task.role);
    line += ", failed for good" + (size.empty() ? "" : "; " + size);
  } else if (!over && !state.chronicle.restart() &&
             (now.state == TaskState::Waiting || now.state == TaskState::Active)) {
    line += ended.exit.failure && ended.exit.failure->kind == job::FailureKind::PeerLoss
                ? ", waiting for the task that caused it"
                : ", will be retried";
  }
  return line;
}

std::optional<std::string> narrate_end(const job::State& state, const job::ContainerEnded& ended) {
  const auto container = state.containers.find(ended.container);
  const bool expected = ended.kind == job::ContainerEndKind::Released ||
                        state.phase == job::JobPhase::Stopping ||
                        state.phase == job::JobPhase::Ended;
  if (expected || container == state.containers.end()) {
    return std::nullopt;
  }
  return fmt::format("container {} on {} ended ({})", ended.container.value,
                     container->second.host.value, to_string(ended.kind));
}

std::string placement_words(job::Rung rung) {
  switch (rung) {
    case job::Rung::Process:
      return "in the same container";
    case job::Rung::Container:
      return "in a new container";
    case job::Rung::Host:
      return "in a new container, on another host if there is one";
    case job::Rung::Infrastructure:
      return "in a new container, not counted against the task";
    case job::Rung::Job:
    case job::Rung::None:
      return "with the whole job";
  }
  return "";
}

/// "exit code 7 (user.exit)"; for an attempt that did not end by itself, what is known about it.
std::string describe_cause(const job::FirstCause& cause) {
  const job::Exit exit{.exit_code = cause.exit_code, .signal = cause.signal, .failure = {}};
  const std::string& evidence = cause.failure.evidence;
  std::string how = exit.exit_code || exit.signal || evidence.empty()
                        ? describe_exit(exit)
                        : printable(evidence.substr(0, evidence.find('\n')));
  if (!cause.failure.class_name.empty()) {
    how += " (" + cause.failure.class_name + ")";
  }
  return how;
}

/// "worker:1 restarts in the same container (1 of 3 within 1 h), 2 others with it: exit code 7".
std::string narrate_restart(const job::Plan& plan, const job::RestartNote& note) {
  std::string line =
      fmt::format("{} restarts {} ({} of {}{})", to_string(plan, note.cause.attempt.task),
                  placement_words(note.rung), note.nth, note.limit,
                  note.window ? " within " + format_duration(*note.window) : "");
  if (note.wait > Duration::zero()) {
    line += " after " + format_duration(note.wait);
  }
  if (note.others > 0) {
    line += fmt::format(", {} with it",
                        note.others == 1 ? "1 other" : fmt::format("{} others", note.others));
  }
  return line + ": " + describe_cause(note.cause);
}

/// Returns whether the job stops before its tasks are done.
bool is_cut_short(const job::State& state) {
  return !state.stop_asked_by.empty() ||
         (state.outcome && state.outcome->result != job::JobResult::Succeeded);
}

/// "2 tasks ending", "1 container exiting": what is still happening in a job that is ending.
std::string last_steps(const job::State& state) {
  size_t tasks = 0;
  for (const auto& role : state.tasks) {
    tasks += static_cast<size_t>(std::ranges::count_if(role, [](const job::Task& task) {
      return !task.attempts.empty() && (task.attempts.back().state == AttemptState::Running ||
                                        task.attempts.back().state == AttemptState::Stopping);
    }));
  }
  if (tasks > 0) {
    return job::count_of(tasks, "task") + " ending";
  }
  const auto containers = std::ranges::count_if(state.containers, [](const auto& container) {
    return container.second.state != ContainerState::Gone;
  });
  return containers > 0 ? job::count_of(static_cast<size_t>(containers), "container") + " exiting"
                        : "final steps";
}

std::string without_digits(std::string_view text) {
  std::string rest(text);
  std::erase_if(rest, [](char c) { return c >= '0' && c <= '9'; });
  return rest;
}

bool knows(const job::Machine& machine, job::AttemptId id) {
  return machine.state().find_attempt(id) != nullptr;
}

}  // namespace

Progress progress_of(const job::Machine& machine) {
  Progress progress;
  for (const job::RolePlan& role : machine.plan().roles) {
    const uint32_t each = std::max(1U, role.tasks_per_container);
    progress.containers_wanted += (role.tasks + each - 1) / each;
    progress.tasks_wanted += role.tasks;
  }
  const job::State& state = machine.state();
  for (const auto& [id, container] : state.containers) {
    if (container.state != ContainerState::Gone && container.state != ContainerState::Draining) {
      ++progress.containers_granted;
    }
  }
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      count_task(task, progress);
    }
  }
  return progress;
}

bool same_but_for_numbers(std::string_view one, std::string_view other) {
  return without_digits(one) == without_digits(other);
}

std::string phase_line(const job::Machine& machine, Time now) {
  const job::State& state = machine.state();
  const Progress progress = progress_of(machine);
  const std::string since = format_duration(now - state.started);
  std::string line;
  switch (state.phase) {
    case job::JobPhase::Gathering:
      line =
          fmt::format("gathering: containers {}/{}, joined {}/{} ({})", progress.containers_granted,
                      progress.containers_wanted, progress.joined, progress.tasks_wanted, since);
      break;
    case job::JobPhase::Running:
      line = fmt::format("running: {}/{} tasks", progress.running, progress.tasks_wanted);
      if (progress.succeeded > 0) {
        line += fmt::format(", {} done", progress.succeeded);
      }
      if (progress.failed > 0) {
        line += fmt::format(", {} failed", progress.failed);
      }
      line += fmt::format(" ({})", since);
      break;
    case job::JobPhase::Stopping:
      return fmt::format("{}: {} ({})", is_cut_short(state) ? "stopping" : "finishing",
                         last_steps(state), since);
    case job::JobPhase::Ended:
      line = fmt::format("ended ({})", since);
      break;
  }
  // While gathering, the counts already say it.
  if (!state.chronicle.waits_for().empty() && state.phase == job::JobPhase::Running) {
    line += ", waiting for " + state.chronicle.waits_for();
  }
  return line;
}

std::string describe_exit(const job::Exit& exit) {
  if (exit.signal) {
    const char* name = sigabbrev_np(*exit.signal);
    return name != nullptr ? fmt::format("signal {} (SIG{})", *exit.signal, name)
                           : fmt::format("signal {}", *exit.signal);
  }
  if (exit.exit_code == 0) {
    return "success";
  }
  return exit.exit_code ? fmt::format("exit code {}", *exit.exit_code) : "lost";
}

std::string describe_stall(const job::Plan& plan, job::AttemptId attempt,
                           const job::StallNote& note, const job::HostName& host) {
  const std::string who = fmt::format("{} on {}", to_string(plan, attempt.task), host.value);
  std::string text =
      note.sure == job::Sureness::Sign
          ? fmt::format("{} is idle: it has done nothing for {}", who, format_duration(note.silent))
          : fmt::format("{} {}: no progress for {} ({})", who,
                        note.sure == job::Sureness::Unsure ? "may hang" : "hangs",
                        format_duration(note.silent), to_string(note.sure));
  constexpr size_t kLinesMax = 3;
  size_t lines = 0;
  for (const std::string_view line : split(note.evidence, '\n')) {
    if (line.empty() || line.starts_with(' ') || ++lines > kLinesMax) {
      break;
    }
    text += (lines == 1 ? ": " : "; ") + printable(line);
  }
  return text;
}

std::vector<std::string> describe_stalls(const job::Machine& machine) {
  std::vector<std::string> lines;
  for (const std::vector<job::Task>& role : machine.state().tasks) {
    for (const job::Task& task : role) {
      const job::Attempt* last = task.attempts.empty() ? nullptr : &task.attempts.back();
      if (last != nullptr && last->stall && last->state == job::AttemptState::Running) {
        lines.push_back(
            describe_stall(machine.plan(), {task.id, last->number}, *last->stall, last->host));
      }
    }
  }
  return lines;
}

namespace {

std::string host_of(const job::State& state, const job::ContainerId& id) {
  const auto found = state.containers.find(id);
  return found == state.containers.end() ? std::string("its host") : found->second.host.value;
}

std::optional<std::string> narrate_session(const job::Machine& machine,
                                           const job::SessionOpened& session) {
  if (stacks::is_probe(session.what)) {
    return std::nullopt;  // There is one for each task; `muster show` lists them.
  }
  const std::string task = to_string(machine.plan(), session.attempt.task);
  const std::string from = session.from.empty() ? "" : " from " + printable(session.from);
  if (session.verb == job::kJoinVerb) {
    return fmt::format("{} joined {} in {}{}", printable(session.who), printable(session.what),
                       task, from);
  }
  return fmt::format("{} opened {} in {}{}: {}", printable(session.who), session.verb, task, from,
                     printable(session.what));
}

std::string narrate_detached(const job::Machine& machine, const job::SessionDetached& session) {
  return fmt::format("{} detached from {} in {}{}", printable(session.who), printable(session.what),
                     to_string(machine.plan(), session.attempt.task),
                     session.from.empty() ? "" : " from " + printable(session.from));
}

std::optional<std::string> narrate_stall(const job::Machine& machine,
                                         const job::AttemptStalled& stalled) {
  if (!knows(machine, stalled.attempt)) {
    return std::nullopt;
  }
  const std::string task = to_string(machine.plan(), stalled.attempt.task);
  if (stalled.silent == Duration::zero()) {
    return task + " is making progress again";
  }
  const job::StallNote note{.at = {},
                            .silent = stalled.silent,
                            .sure = stalled.sure,
                            .place = stalled.place,
                            .evidence = stalled.evidence};
  return describe_stall(machine.plan(), stalled.attempt, note,
                        machine.state().find_attempt(stalled.attempt)->host);
}

/// Says nothing about attempts that were stopped or that succeeded.
std::optional<std::string> narrate_attempt(const job::Machine& machine,
                                           const job::AttemptEnded& ended) {
  if (ended.exit.succeeded() || !knows(machine, ended.attempt)) {
    return std::nullopt;
  }
  const std::optional<job::Failure>& failure = ended.exit.failure;
  if (machine.state().find_attempt(ended.attempt)->part == job::Part::Stopped ||
      (failure && failure->kind == job::FailureKind::Stopped)) {
    return std::nullopt;
  }
  return narrate_end(machine, ended);
}

std::optional<std::string> narrate_fact(const job::Machine& machine, const job::Fact& fact) {
  const job::State& state = machine.state();
  using Line = std::optional<std::string>;
  const auto nothing = [](const auto&) -> Line { return std::nullopt; };
  return std::visit(
      Overloaded{
          [&](const job::AttemptEnded& ended) { return narrate_attempt(machine, ended); },
          [&](const job::AttemptStarted& started) {
            return narrate_start(machine, started.attempt);
          },
          [&](const job::AgentSuspected& suspected) -> Line {
            return fmt::format("container {} on {} is silent", suspected.container.value,
                               host_of(state, suspected.container));
          },
          [&](const job::AgentLost& lost) -> Line {
            return fmt::format("container {} on {} is lost ({})", lost.container.value,
                               host_of(state, lost.container), to_string(lost.reason));
          },
          [&](const job::ContainerEnded& ended) { return narrate_end(state, ended); },
          [&](const job::RequestRefused& refused) -> Line {
            return "the cluster refused a request: " + printable(refused.reason);
          },
          [&](const job::LaunchFailed& failed) -> Line {
            return fmt::format("container {} could not be started: {}", failed.container.value,
                               printable(failed.reason));
          },
          [&](const job::HostReported& report) -> Line {
            return report.health == job::HostHealth::Healthy
                       ? Line{}
                       : Line{fmt::format("host {} is {}", report.host.value,
                                          to_string(report.health))};
          },
          [&](const job::PreemptionNoticed& notice) -> Line {
            return fmt::format("the cluster will take back container {} in {}",
                               notice.container.value, format_duration(notice.in));
          },
          [&](const job::EndpointPublished& endpoint) -> Line {
            return fmt::format(
                "{}: {}", endpoint.name,
                endpoint_text(job::Endpoint{endpoint.attempt, endpoint.name, endpoint.url}));
          },
          [&](const job::AttemptStalled& stalled) { return narrate_stall(machine, stalled); },
          [&](const job::StopAsked& stop) -> Line {
            return (stop.how == job::StopHow::Interrupt ? "interrupted by "
                                                        : "stop requested by ") +
                   printable(stop.by);
          },
          [&](const job::SessionOpened& session) { return narrate_session(machine, session); },
          [&](const job::SessionDetached& session) -> Line {
            return narrate_detached(machine, session);
          },
          [&](const job::NoticeTold& told) -> Line {
            return told.fate == job::NoticeFate::Delivered ? Line{}
                                                           : Line{printable(job::sentence(told))};
          },
          [&](const job::MasterRecovered& recovered) -> Line {
            return fmt::format("a new master has taken over (the {} of this job)",
                               ordinal(recovered.epoch.value));
          },
          nothing,
      },
      fact);
}

// Its successor starts beside it, so people may see both write.
std::string narrate_unconfirmed(const job::Machine& machine,
                                const std::vector<job::AttemptId>& old) {
  std::string names;
  for (const job::AttemptId& each : old) {
    names += (names.empty() ? "" : ", ") + to_string(machine.plan(), each);
  }
  const job::Attempt* first = machine.state().find_attempt(old.front());
  return fmt::format(
      "{} on {} may still be running: the cluster has not confirmed its end; it can no longer "
      "commit",
      names, first == nullptr ? "a lost host" : first->host.value);
}

}  // namespace

std::string endpoint_text(const job::Endpoint& endpoint) {
  const std::string url = job::link_of(endpoint.name, endpoint.url);
  return url.find("://") == std::string::npos ? "on the job's page" : printable(url);
}

std::optional<std::string> narrate(const job::Machine& machine, const job::Fact& fact) {
  std::optional<std::string> line = narrate_fact(machine, fact);
  if (const std::vector<job::AttemptId>& old = machine.state().chronicle.unconfirmed();
      !old.empty()) {
    return narrate_unconfirmed(machine, old);
  }
  const std::optional<job::RestartNote>& note = machine.state().chronicle.restart();
  if (!note) {
    return line;
  }
  const auto* ended = std::get_if<job::AttemptEnded>(&fact);
  const bool of_this = ended != nullptr && ended->attempt == note->cause.attempt;
  const std::string restart = narrate_restart(machine.plan(), *note);
  // The restart says how its own task ended.
  return line && !of_this ? *line + "; " + restart : restart;
}

}  // namespace muster::client
