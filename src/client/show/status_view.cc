#include "client/show/status_view.h"

#include "base/text.h"
#include "client/follow/console.h"
#include "client/follow/progress.h"
#include "client/measure/usage_text.h"
#include "client/show/state_text.h"
#include "cluster/logs_command.h"
#include "eventlog/status.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace muster::client {
namespace {

std::string task_line(const job::Plan& plan, const job::Task& task,
                      const std::map<std::string, TopUsage>& usage, bool colour) {
  std::string line =
      fmt::format("  {:<14} {}", to_string(plan, task.id), cell(to_string(task.state), 10, colour));
  if (task.attempts.empty()) {
    return line;
  }
  const job::Attempt& last = task.attempts.back();
  line += fmt::format(" attempt {:<3} {:<10}", last.number, last.host.value);
  if (last.exit) {
    line += " " + describe_exit(*last.exit);
    if (last.exit->failure && !last.exit->succeeded()) {
      line += " (" + last.exit->failure->class_name + ")";
    }
  } else if (last.state == job::AttemptState::Running) {
    line += fmt::format(" pid {}", last.pid);
    const auto used = usage.find(to_string(plan, task.id));
    const std::string text = used == usage.end() ? "" : usage_text(used->second);
    line += text.empty() ? "" : "  " + text;
  }
  return line;
}

}  // namespace

std::string render_status(const FoundJob& job, WallTime now, bool colour,
                          const std::map<std::string, TopUsage>& usage) {
  const cluster::JobReading& reading = job.reading;
  const job::Machine& machine = reading.replayed.machine;
  const job::State& state = reading.state();
  std::string out = fmt::format(
      "{} on {}{}, submitted {} ago by {}\n", job.folder.id().value, reading.plan_file.on,
      reading.application_id.empty() ? "" : " as " + reading.application_id,
      age_of(reading.plan_file.submitted, now), printable(reading.plan_file.user));
  const Time job_now =
      state.phase == job::JobPhase::Ended
          ? state.ended
          : reading.replayed.last_at + std::max(Duration::zero(), now - reading.replayed.last_wall);
  if (state.outcome && state.phase == job::JobPhase::Ended) {
    out += paint(std::string(to_string(state.outcome->result)),
                 colour_of(to_string(state.outcome->result)), colour);
    out += fmt::format(" after {}", format_duration(state.ended - state.started));
    out += state.outcome->message.empty() ? "" : ": " + printable(state.outcome->message);
    out += "\n";
  } else {
    out += phase_line(machine, job_now) + "\n";
  }
  if (job.lost()) {
    out += "no master is running: the machine went down, or every process was killed\n";
  }
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      out += task_line(machine.plan(), task, usage, colour) + "\n";
    }
  }
  for (const std::string& stall : describe_stalls(machine)) {
    out += paint(stall, "33", colour) + "\n";
  }
  for (const job::Endpoint& endpoint : state.endpoints) {
    out += fmt::format("  {}: {}\n", endpoint.name, endpoint_text(endpoint));
  }
  if (const std::string trouble = eventlog::notice_trouble(state); !trouble.empty()) {
    out += "notices: " + printable(trouble) + "\n";
  }
  for (const std::string& damage : reading.log.damages) {
    out += "log: " + printable(damage) + "\n";
  }
  return out +
         fmt::format("logs: {}\n", cluster::place_of_logs(job.folder, reading.application_id));
}

std::string render_history_json(const FoundJob& found) {
  const cluster::JobReading& reading = found.reading;
  const job::Machine& last = reading.replayed.machine;
  std::string out =
      fmt::format(R"({{"schema":"muster.show/1","status":{},"facts":[)",
                  eventlog::status_json(last.plan(), reading.state(), status_context(found)));
  job::Machine machine(last.plan());
  bool first = true;
  for (const eventlog::Record& record : reading.log.records) {
    (void)machine.apply(record.at, record.fact);
    const std::optional<std::string> words = narrate(machine, record.fact);
    out += fmt::format(R"({}{{"index":{},"at_ms":{},"time":{},"fact":{},"text":{}}})",
                       first ? "" : ",", record.index, (record.at - Time{}).count() / 1000,
                       json_quote(format_iso(record.wall)), json_quote(name_of(record.fact)),
                       words ? json_quote(*words) : "null");
    first = false;
  }
  return out + "]}\n";
}

std::string render_history(const cluster::JobReading& reading) {
  std::string out;
  job::Machine machine(reading.replayed.machine.plan());
  for (const eventlog::Record& record : reading.log.records) {
    (void)machine.apply(record.at, record.fact);
    std::string line =
        fmt::format("{}  {:>10}  {}", format_iso(record.wall), format_duration(record.at - Time{}),
                    describe(machine.plan(), record.fact));
    if (const std::optional<std::string> words = narrate(machine, record.fact)) {
      line += ": " + *words;
    }
    out += line + "\n";
  }
  return out;
}

}  // namespace muster::client
