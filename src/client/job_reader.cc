#include "client/job_reader.h"

#include "base/text.h"
#include "client/console.h"
#include "client/progress.h"
#include "cluster/logs_command.h"
#include "eventlog/local_segment_store.h"
#include "eventlog/reader.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

std::string_view colour_of(std::string_view word) {
  if (word == "succeeded" || word == "running" || word == "active") {
    return "32";
  }
  if (word == "failed" || word == "lost") {
    return "31";
  }
  return "33";
}

/// Pads before painting: the codes of a colour take no columns.
std::string cell(std::string_view text, size_t width, bool colour) {
  const std::string padded = fmt::format("{:<{}}", text, width);
  return colour && !text.empty() ? paint(padded, colour_of(text), true) : padded;
}

bool lock_is_free(os::Files& files, const cluster::JobFolder& folder) {
  return files.exists(folder.master_lock()) && files.try_lock(folder.master_lock()).has_value();
}

std::string age_of(WallTime then, WallTime now) {
  return format_duration(std::max(Duration::zero(), now - then));
}

std::string task_line(const job::Plan& plan, const job::Task& task, bool colour) {
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
  }
  return line;
}

JobRow damaged_row(const JobEntry& entry, std::string damage) {
  JobRow row;
  row.id = entry.folder.id().value;
  row.phase = "lost";
  row.submitted = entry.submitted;
  row.damage = std::move(damage);
  return row;
}

std::string state_word(const JobRow& row) { return row.result.empty() ? row.phase : row.result; }

/// What a summary says of the end, in the machine's words.
job::Outcome outcome_of(const eventlog::Summary& summary) {
  job::Outcome outcome;
  outcome.result = summary.result == to_string(job::JobResult::Stopped) ? job::JobResult::Stopped
                                                                        : job::JobResult::Failed;
  outcome.reason = outcome.result == job::JobResult::Stopped ? job::OutcomeReason::StoppedByUser
                                                             : job::OutcomeReason::ClusterFailed;
  outcome.class_name = summary.class_name;
  outcome.message = summary.message;
  return outcome;
}

job::State closed_by(const eventlog::Summary& summary, job::State state) {
  return eventlog::closed_state(std::move(state), outcome_of(summary),
                                Time{} + Duration(std::chrono::milliseconds(summary.duration_ms)));
}

}  // namespace

Result<JobReading> read_job_folder(os::Files& files, const JobEntry& entry,
                                   const eventlog::PlanOf& plan_of) {
  MUSTER_TRY(const std::string text, files.read(entry.folder.plan()));
  MUSTER_TRY(eventlog::PlanFile plan_file, eventlog::parse_plan_file(text));
  eventlog::LocalSegmentStore store(nullptr, files, entry.folder.events());
  Result<eventlog::Log> log = eventlog::read_log(store);
  if (!log && log.error().code == Errc::NotFound) {
    // The master has not written its first fact yet.
    eventlog::Log empty;
    empty.header.job_id = plan_file.job_id;
    empty.header.seed = plan_file.seed;
    empty.header.plan_json = plan_file.spec_json;
    empty.header.created = plan_file.submitted;
    log = std::move(empty);
  }
  if (!log) {
    return log.error().within(entry.folder.id().value + ": " + entry.folder.events().string());
  }
  MUSTER_TRY(eventlog::Replayed replayed, eventlog::replay(*log, plan_of));
  const bool ended = entry.ended || replayed.machine.state().phase == job::JobPhase::Ended;
  JobReading reading{std::move(plan_file), std::move(*log), std::move(replayed), true, {}, {}};
  reading.has_master = ended || !lock_is_free(files, entry.folder);
  if (entry.ended && reading.replayed.machine.state().phase != job::JobPhase::Ended) {
    MUSTER_TRY(const std::string summary_text, files.read(entry.folder.summary()));
    MUSTER_TRY(const eventlog::Summary summary, eventlog::parse_summary(summary_text));
    reading.closed = closed_by(summary, reading.replayed.machine.state());
  }
  return reading;
}

eventlog::StatusContext status_context(const JobEntry& entry, const JobReading& reading) {
  eventlog::StatusContext context;
  context.on = reading.plan_file.on;
  context.application_id = reading.application_id;
  context.logs_folder = cluster::place_of_logs(entry.folder, reading.application_id);
  context.started = reading.replayed.started;
  if (!reading.has_master) {
    context.waits_for = "a master: none runs (the machine went down, or every process was killed)";
  }
  return context;
}

std::string render_status(const JobEntry& entry, const JobReading& reading, WallTime now,
                          bool colour) {
  const job::Machine& machine = reading.replayed.machine;
  const job::State& state = reading.state();
  std::string out = fmt::format("{} on {}, submitted {} ago by {}\n", entry.folder.id().value,
                                reading.plan_file.on, age_of(reading.plan_file.submitted, now),
                                printable(reading.plan_file.user));
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
  if (!reading.has_master) {
    out += "no master runs: the machine went down, or every process was killed\n";
  }
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      out += task_line(machine.plan(), task, colour) + "\n";
    }
  }
  for (const job::Endpoint& endpoint : state.endpoints) {
    out += fmt::format("  {}: {}\n", endpoint.name, endpoint_text(endpoint.url));
  }
  for (const std::string& damage : reading.log.damages) {
    out += "log: " + printable(damage) + "\n";
  }
  return out +
         fmt::format("logs: {}\n", cluster::place_of_logs(entry.folder, reading.application_id));
}

JobRow row_of(const std::string& id, WallTime submitted, const eventlog::Summary& summary) {
  JobRow row;
  row.id = id;
  row.phase = "ended";
  row.result = summary.result;
  row.class_name = summary.class_name;
  row.tasks = summary.tasks;
  row.submitted = submitted;
  row.duration = std::chrono::milliseconds(summary.duration_ms);
  return row;
}

JobRow read_row(os::Files& files, const JobEntry& entry, const eventlog::PlanOf& plan_of,
                WallTime now) {
  if (entry.ended) {
    const Result<std::string> text = files.read(entry.folder.summary());
    const Result<eventlog::Summary> summary =
        text ? eventlog::parse_summary(*text) : Result<eventlog::Summary>(text.error());
    if (summary) {
      return row_of(entry.folder.id().value, entry.submitted, *summary);
    }
  }
  const Result<JobReading> reading = read_job_folder(files, entry, plan_of);
  if (!reading) {
    return damaged_row(entry, reading.error().message);
  }
  const job::Machine& machine = reading->replayed.machine;
  JobRow row;
  row.id = entry.folder.id().value;
  const job::State& state = reading->state();
  row.phase = reading->has_master ? std::string(to_string(state.phase)) : "lost";
  if (state.outcome && state.phase == job::JobPhase::Ended) {
    row.result = to_string(state.outcome->result);
    row.class_name = state.outcome->class_name;
  }
  const Progress progress = progress_of(machine);
  row.tasks = progress.tasks_wanted;
  row.tasks_running = progress.running;
  row.submitted = entry.submitted;
  row.duration = std::max(Duration::zero(), now - reading->replayed.started);
  return row;
}

std::string render_rows(const std::vector<JobRow>& rows, WallTime now, bool colour) {
  if (rows.empty()) {
    return "no jobs\n";
  }
  size_t width = 3;
  for (const JobRow& row : rows) {
    width = std::max(width, row.id.size());
  }
  std::string out = fmt::format("{:<{}}  {:<10} {:>6}  {:<14} {:<12} {}\n", "job", width, "state",
                                "tasks", "submitted", "ran", "class");
  for (const JobRow& row : rows) {
    const std::string tasks = row.result.empty()
                                  ? fmt::format("{}/{}", row.tasks_running, row.tasks)
                                  : std::to_string(row.tasks);
    out += fmt::format("{:<{}}  {} {:>6}  {:<14} {:<12} {}\n", row.id, width,
                       cell(state_word(row), 10, colour), tasks,
                       age_of(row.submitted, now) + " ago", format_duration(row.duration),
                       row.damage.empty() ? row.class_name : printable(row.damage));
  }
  return out;
}

std::string render_rows_json(const std::vector<JobRow>& rows) {
  std::string out = R"({"schema":"muster.jobs/1","jobs":[)";
  for (size_t i = 0; i < rows.size(); ++i) {
    const JobRow& row = rows[i];
    out += fmt::format(R"({}{{"job":{},"phase":{},"result":{},"class":{},"tasks":{},)"
                       R"("tasks_running":{},"submitted":{},"duration_ms":{}}})",
                       i == 0 ? "" : ",", json_quote(row.id), json_quote(row.phase),
                       row.result.empty() ? "null" : json_quote(row.result),
                       row.class_name.empty() ? "null" : json_quote(row.class_name), row.tasks,
                       row.tasks_running, json_quote(format_iso(row.submitted)),
                       row.duration.count() / 1000);
  }
  return out + "]}\n";
}

std::string render_history_json(const JobEntry& entry, const JobReading& reading) {
  const job::Machine& last = reading.replayed.machine;
  std::string out = fmt::format(
      R"({{"schema":"muster.show/1","status":{},"facts":[)",
      eventlog::status_json(last.plan(), reading.state(), status_context(entry, reading)));
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

std::string render_history(const JobReading& reading) {
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
