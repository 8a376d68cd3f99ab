#include "app/commands.h"
#include "app/failure.h"
#include "app/follow_command.h"
#include "app/job_finder.h"
#include "app/live_status.h"
#include "app/page_address.h"
#include "app/yarn_client.h"
#include "app/yarn_logs.h"
#include "base/text.h"
#include "client/job_reader.h"
#include "client/logs.h"
#include "job/describe.h"
#include "os/watch.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::app {
namespace {

Result<client::LogFilter> filter_of(const LogsOptions& command, const job::Plan& plan) {
  client::LogFilter filter;
  filter.attempt = command.attempt;
  if (!command.stream.empty()) {
    filter.is_err = command.stream == "stderr";
  }
  if (command.task.empty()) {
    return filter;
  }
  const size_t colon = command.task.find(':');
  filter.role = command.task.substr(0, colon);
  const auto role = plan.find_role(filter.role);
  if (!role) {
    std::vector<std::string_view> names;
    for (const job::RolePlan& each : plan.roles) {
      names.push_back(each.name);
    }
    const auto near = nearest(filter.role, names);
    std::string known;
    for (const std::string_view name : names) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return user_error(
        fmt::format("the job has no role \"{}\"{}", printable(filter.role),
                    near ? fmt::format("; did you mean {}?", *near) : "; its roles are " + known));
  }
  if (colon == std::string::npos) {
    return filter;
  }
  const std::optional<job::TaskId> task = job::parse_task(plan, command.task);
  if (!task) {
    return user_error(fmt::format("the job has no task {}: role {} has {}, counted from 0",
                                  printable(command.task), filter.role,
                                  job::count_of(plan.role(*role).tasks, "task")));
  }
  filter.index = task->index;
  return filter;
}

/// Shows a job's output as it grows, until the job has ended.
int follow_logs(Session& session, const client::JobEntry& entry, client::LogViewer& viewer) {
  rt::IoLoop loop;
  Status shown;
  bool ended = false;
  const auto look = [&] {
    ended = ended || session.files->exists(entry.folder.summary());
    shown = viewer.show_new();
    if (!shown || ended || session.console.out_failed()) {
      loop.stop();
    }
  };
  Result<std::unique_ptr<os::FileWatch>> logs = os::watch_file(loop, entry.folder.logs(), look);
  if (!logs) {
    return fail(session.console, logs.error());
  }
  Result<std::unique_ptr<os::FileWatch>> folder = os::watch_file(loop, entry.folder.root(), look);
  if (!folder) {
    return fail(session.console, folder.error());
  }
  // A job whose every process was killed writes no summary: nobody is left to wake this loop.
  std::function<void()> check_master = [&] {
    const client::JobRow row = client::read_row(*session.files, entry, plan_of(), session.now());
    ended = ended || row.phase == "lost" || row.phase == "ended";
    look();
    loop.call_after(std::chrono::seconds(5), [&] { check_master(); });
  };
  loop.call_after(std::chrono::seconds(5), [&] { check_master(); });
  loop.post(look);
  loop.run();
  viewer.finish();
  return shown ? 0 : fail(session.console, shown.error());
}

int say_stopped(Session& session, const StopOptions& command, const cluster::JobFolder& folder,
                std::string_view state) {
  const std::string id = folder.id().value;
  session.console.out(command.json
                          ? fmt::format(R"({{"schema":"muster.stop/1","job":{},"state":{}}})"
                                        "\n",
                                        json_quote(id), json_quote(state))
                          : fmt::format("{} {}\n", id, state));
  return 0;
}

/// Asks the job's master to stop it, and waits for that.
int stop_now(Session& session, const StopOptions& command, const cluster::JobFolder& folder) {
  const auto say = [&](std::string_view state) {
    return say_stopped(session, command, folder, state);
  };
  FollowCommand follow;
  follow.folder = folder;
  follow.output = false;
  follow.quiet = true;
  follow.stop = true;
  follow.leave_when_told = command.no_wait;
  const Result<Followed> followed = follow_job(session, follow);
  if (!followed) {
    return fail(session.console, followed.error());
  }
  if (followed->end.kind == client::FollowEnd::Kind::Lost) {
    return fail(session.console, cluster_error(followed->end.error));
  }
  if (followed->end.kind == client::FollowEnd::Kind::Detached) {
    return command.no_wait ? say("was told to stop") : kDetached;
  }
  return say(followed->end.outcome->result == job::JobResult::Stopped ? "stopped" : "has ended");
}

/// Tells whether the job's master, if it has one, is with YARN.
bool runs_on_yarn(Session& session, const client::JobEntry& entry) {
  if (entry.ended || !is_on_yarn(session, entry.folder)) {
    return false;
  }
  const auto yarn = yarn_client_of(session, entry.folder);
  const Result<cluster::MasterPlace> place = yarn->cluster().locate(entry.folder.root());
  return place || place.error().code != Errc::NotFound;
}

int say_status(Session& session, const StatusCommand& command, const std::string& status) {
  session.console.out(command.json ? status + "\n" : render_live_status(status));
  return 0;
}

/// The status of a job that waits in its queue. One that has begun is only told by its next master.
int show_status_without_master(Session& session, const StatusCommand& command,
                               const Error& absent) {
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  if (!found->reading.log.records.empty()) {
    return fail(session.console, absent);
  }
  eventlog::StatusContext context = client::status_context(found->entry, found->reading);
  context.waits_for = absent.message;
  context.page = page_link_of(session, found->entry.folder,
                              {.address = {}, .application_id = context.application_id});
  return say_status(session, command,
                    eventlog::status_json(found->reading.replayed.machine.plan(),
                                          found->reading.state(), context));
}

/// The status of a job that YARN runs, from its master; nothing if it has ended just now.
std::optional<int> show_status_on_yarn(Session& session, const StatusCommand& command,
                                       const client::JobEntry& entry) {
  const auto yarn = yarn_client_of(session, entry.folder);
  const auto locate = [&] { return yarn->cluster().locate(entry.folder.root()); };
  // A cluster that does not answer is waited for once.
  const auto report = yarn->cluster().report_of(entry.folder.root());
  if (!report && report.error().code != Errc::NotFound) {
    return fail(session.console, report.error());
  }
  Result<cluster::MasterPlace> place = locate();
  if (!place && place.error().code == Errc::Unavailable) {
    return show_status_without_master(session, command, place.error());
  }
  if (const std::optional<std::string> live =
          place ? ask_status(session, entry.folder) : std::nullopt) {
    return say_status(session, command, *live);
  }
  if (place) {
    // A master writes the end down and goes a moment before the cluster hears of it.
    const Result<FoundJob> found = find_job(session, command.id, command.on);
    if (found && found->reading.state().phase == job::JobPhase::Ended) {
      return std::nullopt;
    }
    place = locate();
  }
  if (!place && place.error().code == Errc::NotFound) {
    return std::nullopt;
  }
  return fail(session.console,
              place ? cluster_error("the job's master at " + place->address + " does not answer")
                    : place.error());
}

}  // namespace

int show_status(Session& session, const StatusCommand& command) {
  const Result<client::JobEntry> entry = find_entry(session, command.id, command.on);
  if (entry && !entry->ended && is_on_yarn(session, entry->folder)) {
    if (const std::optional<int> shown = show_status_on_yarn(session, command, *entry); shown) {
      return *shown;
    }
  }
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  const job::Machine& machine = found->reading.replayed.machine;
  const job::State& state = found->reading.state();
  const bool lives = found->reading.has_master && state.phase != job::JobPhase::Ended;
  const std::optional<std::string> live =
      lives ? ask_status(session, found->entry.folder) : std::nullopt;
  const std::string page = live ? page_link_here(session, found->entry.folder) : std::string();
  if (command.json) {
    const eventlog::StatusContext context = client::status_context(found->entry, found->reading);
    const std::string here = eventlog::status_json(machine.plan(), state, context);
    session.console.out(eventlog::with_page(live.value_or(here), page) + "\n");
    return 0;
  }
  session.console.out(client::render_status(found->entry, found->reading, session.now(),
                                            session.console.screen().colour));
  session.console.out(render_live_notes(live.value_or(""), page));
  return 0;
}

int show_job(Session& session, const ShowCommand& command) {
  if (command.page) {
    return run_portal(session, {.id = command.id, .on = command.on});
  }
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  if (command.json) {
    session.console.out(client::render_history_json(found->entry, found->reading));
    return 0;
  }
  session.console.out(client::render_status(found->entry, found->reading, session.now(),
                                            session.console.screen().colour));
  session.console.out("\n" + client::render_history(found->reading));
  return 0;
}

int show_logs(Session& session, const LogsOptions& command) {
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  const job::Plan& plan = found->reading.replayed.machine.plan();
  const Result<client::LogFilter> filter = filter_of(command, plan);
  if (!filter) {
    return fail(session.console, filter.error());
  }
  client::LogQuery query;
  query.filter = *filter;
  query.grep = command.grep;
  query.tail = command.tail;
  query.json = command.json;
  if (!command.since.empty()) {
    const Result<WallTime> since = client::parse_since(command.since, session.now());
    if (!since) {
      return fail(session.console, since.error());
    }
    query.since = *since;
  }
  const bool on_yarn = is_on_yarn(session, found->entry.folder);
  if (on_yarn) {
    if (const Status brought = bring_logs(session, *found, *filter); !brought) {
      return fail(session.console, brought.error());
    }
  }
  std::vector<std::string> roles;
  for (const job::RolePlan& role : plan.roles) {
    roles.push_back(role.name);
  }
  const Result<std::unique_ptr<client::LogViewer>> viewer =
      client::LogViewer::make(*session.files, session.console, found->entry.folder.logs(),
                              std::move(roles), std::move(query));
  if (!viewer) {
    return fail(session.console, viewer.error());
  }
  if (command.follow && on_yarn && !found->entry.ended) {
    return follow_yarn_logs(session, *found, *filter, **viewer);
  }
  if (command.follow) {
    return follow_logs(session, found->entry, **viewer);
  }
  const Status shown = (*viewer)->show_new();
  (*viewer)->finish();
  return shown ? 0 : fail(session.console, shown.error());
}

int stop_job(Session& session, const StopOptions& command) {
  const Result<client::JobEntry> entry = find_entry(session, command.id, command.on);
  if (entry && runs_on_yarn(session, *entry)) {
    return stop_now(session, command, entry->folder);
  }
  const Result<FoundJob> found = find_job(session, command.id, command.on);
  if (!found) {
    return fail(session.console, found.error());
  }
  const auto say = [&](std::string_view state) {
    return say_stopped(session, command, found->entry.folder, state);
  };
  if (found->reading.state().phase == job::JobPhase::Ended || found->entry.ended) {
    return say("has ended already");
  }
  if (!found->reading.has_master) {
    return say("has no master: nothing of it runs");
  }
  return stop_now(session, command, found->entry.folder);
}

}  // namespace muster::app
