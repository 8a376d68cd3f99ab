#include "base/text.h"
#include "client/commands.h"
#include "client/follow/foreground.h"
#include "client/reach/task_selection.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/show/logs.h"
#include "cluster/cluster.h"
#include "job/describe.h"
#include "os/file/watch.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Refuses an attempt that none of the selected tasks has had.
Status check_attempt(const cluster::LogFilter& filter, const job::Plan& plan,
                     const job::State& state) {
  size_t most = 0;
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      const bool selected =
          filter.tasks.empty() ||
          std::ranges::any_of(filter.tasks, [&](const cluster::TaskSelector& each) {
            return each.role == plan.role(task.id.role).name &&
                   (!each.index || *each.index == task.id.index);
          });
      most = std::max(most, selected ? task.attempts.size() : 0);
    }
  }
  if (!filter.attempt || (*filter.attempt > 0 && *filter.attempt <= most)) {
    return {};
  }
  return user_error(fmt::format(
      "--attempt {}: there is no such attempt; {}, counted from 1", *filter.attempt,
      most == 0 ? "none of these tasks has started yet"
                : "the most that any task has had is " + job::count_of(most, "attempt")));
}

Result<cluster::LogFilter> filter_of(const LogsOptions& command, const job::Machine& machine) {
  cluster::LogFilter filter;
  filter.attempt = command.attempt;
  if (!command.stream.empty()) {
    filter.is_err = command.stream == "stderr";
  }
  for (const std::string& text : command.tasks) {
    MUSTER_TRY(cluster::TaskSelector selector, selector_of(text, machine.plan()));
    filter.tasks.push_back(std::move(selector));
  }
  MUSTER_TRY_STATUS(check_attempt(filter, machine.plan(), machine.state()));
  return filter;
}

/// Shows the output of one job, once or until it has ended.
class LogsShow {
 public:
  LogsShow(Session& session, const FoundJob& job, cluster::Outputs& outputs, LogViewer& viewer)
      : session_(session),
        job_(job),
        cluster_(session.clusters->of(job.folder)),
        outputs_(outputs),
        viewer_(viewer) {}

  /// Shows everything that there is now.
  [[nodiscard]] Status once();
  /// Shows more as it arrives. Returns the exit status.
  int follow();

 private:
  [[nodiscard]] Status refresh();
  int follow_folder(const std::filesystem::path& folder);
  int follow_master();
  [[nodiscard]] Status take(const wire::Output& output);

  Session& session_;
  const FoundJob& job_;
  cluster::Cluster& cluster_;
  cluster::Outputs& outputs_;
  LogViewer& viewer_;
};

Status LogsShow::refresh() {
  MUSTER_TRY(const cluster::Outputs::Gaps gaps, outputs_.refresh());
  for (const std::string& gap : gaps) {
    session_.console.err("muster: " + printable(gap) + "\n");
  }
  return {};
}

Status LogsShow::once() {
  MUSTER_TRY_STATUS(refresh());
  return viewer_.show_new(true);
}

int LogsShow::follow() {
  if (const std::optional<std::filesystem::path> folder = outputs_.watched()) {
    return follow_folder(*folder);
  }
  return follow_master();
}

/// For files that grow here: whatever writes them wakes the loop.
int LogsShow::follow_folder(const std::filesystem::path& folder) {
  rt::IoLoop loop;
  Status shown = refresh();
  bool ended = false;
  const auto look = [&] {
    ended = ended || session_.files->exists(job_.folder.summary());
    shown = shown ? viewer_.show_new() : shown;
    if (!shown || ended || session_.console.out_failed()) {
      loop.stop();
    }
  };
  Result<std::unique_ptr<os::FileWatch>> logs = os::watch_file(loop, folder, look);
  if (!logs) {
    return fail(session_.console, logs.error());
  }
  Result<std::unique_ptr<os::FileWatch>> whole = os::watch_file(loop, job_.folder.root(), look);
  if (!whole) {
    return fail(session_.console, whole.error());
  }
  // A job whose processes were all killed writes no summary, so nobody is left to wake this loop.
  std::function<void()> check_master = [&] {
    const Result<cluster::JobReport> report = cluster_.report(job_.folder);
    ended = ended || !report || std::holds_alternative<cluster::Lost>(*report) ||
            std::holds_alternative<cluster::Ended>(*report);
    look();
    loop.call_after(std::chrono::seconds(5), [&] { check_master(); });
  };
  loop.call_after(std::chrono::seconds(5), [&] { check_master(); });
  loop.post(look);
  loop.run();
  shown = shown ? viewer_.show_new(true) : shown;
  return shown ? 0 : fail(session_.console, shown.error());
}

Status LogsShow::take(const wire::Output& output) {
  const job::Plan& plan = job_.reading.replayed.machine.plan();
  const job::TaskId task = output.attempt.task;
  if (task.role.value >= plan.roles.size()) {
    return {};
  }
  MUSTER_TRY_STATUS(outputs_.take({.role = plan.role(task.role).name,
                                   .index = task.index,
                                   .attempt = output.attempt.number,
                                   .is_err = output.stream == wire::OutputStream::Stderr,
                                   .offset = output.offset,
                                   .bytes = output.bytes}));
  return viewer_.show_new();
}

/// For files that are elsewhere: the job's master sends what is new, and what came before is here.
int LogsShow::follow_master() {
  Status shown = refresh();
  if (shown) {
    shown = viewer_.show_new();
  }
  if (!shown) {
    return fail(session_.console, shown.error());
  }
  FollowCommand follow;
  follow.folder = job_.folder;
  follow.only_watches = true;
  follow.quiet = true;
  follow.take_output = [&](const wire::Output& output) {
    if (shown) {
      shown = take(output);
    }
  };
  const Result<Followed> followed = follow_job(session_, follow);
  if (!followed || !shown) {
    return fail(session_.console, followed ? shown.error() : followed.error());
  }
  if (followed->end.kind == FollowEnd::Kind::Detached) {
    return kDetached;
  }
  if (followed->end.kind == FollowEnd::Kind::Lost) {
    return fail(session_.console, cluster_error(followed->end.error));
  }
  shown = once();
  return shown ? 0 : fail(session_.console, shown.error());
}

Result<LogQuery> query_of(const LogsOptions& command, WallTime now) {
  LogQuery query;
  query.grep = command.grep;
  query.tail = command.tail;
  query.timestamps = command.timestamps;
  query.json = command.json;
  if (!command.since.empty()) {
    MUSTER_TRY(query.since, parse_since(command.since, now));
  }
  return query;
}

Result<int> show(Session& session, const LogsOptions& command) {
  MUSTER_TRY(const FoundJob found, find_job(session, command.id, command.on));
  if (!command.stream.empty() && found.reading.replayed.machine.plan().spec.logs.merged) {
    session.console.err(
        "muster: warning: this job merges standard error into standard output (`logs.merged`), so "
        "--stream cannot tell them apart\n");
  }
  MUSTER_TRY(const cluster::LogFilter filter, filter_of(command, found.reading.replayed.machine));
  MUSTER_TRY(LogQuery query, query_of(command, session.now()));
  MUSTER_TRY(const std::unique_ptr<cluster::Outputs> outputs,
             session.clusters->of(found.folder).outputs(found.folder, filter));
  MUSTER_TRY(const std::unique_ptr<LogViewer> viewer,
             LogViewer::make(*session.files, session.console, *outputs, std::move(query)));
  LogsShow logs(session, found, *outputs, *viewer);
  // An ended job's output no longer grows.
  if (command.follow && !session.files->exists(found.folder.summary())) {
    return logs.follow();
  }
  MUSTER_TRY_STATUS(logs.once());
  return 0;
}

}  // namespace

int show_logs(Session& session, const LogsOptions& command) {
  const Result<int> shown = show(session, command);
  return shown ? *shown : fail(session.console, shown.error());
}

}  // namespace muster::client
