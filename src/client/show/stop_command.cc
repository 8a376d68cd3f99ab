#include "base/text.h"
#include "client/commands.h"
#include "client/follow/foreground.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace muster::client {
namespace {

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

/// Asks the job's master to stop it, and waits until it has stopped or, if `tell_only`, until the
/// master has been told.
Result<Followed> ask_to_stop(Session& session, const StopOptions& command,
                             const cluster::JobFolder& folder, bool tell_only) {
  FollowCommand follow;
  follow.folder = folder;
  follow.output = false;
  follow.quiet = true;
  follow.stop = command.interrupt ? job::StopHow::Interrupt : job::StopHow::Terminate;
  follow.leave_when_told = tell_only;
  return follow_job(session, follow);
}

int stop_now(Session& session, const StopOptions& command, const cluster::JobFolder& folder) {
  const auto say = [&](std::string_view state) {
    return say_stopped(session, command, folder, state);
  };
  const Result<Followed> followed = ask_to_stop(session, command, folder, command.no_wait);
  if (!followed) {
    return fail(session.console, followed.error());
  }
  if (followed->end.kind == FollowEnd::Kind::Lost) {
    return fail(session.console, cluster_error(followed->end.error));
  }
  if (followed->end.kind == FollowEnd::Kind::Detached) {
    return command.no_wait ? say("was told to stop") : kDetached;
  }
  return say(followed->end.outcome->result == job::JobResult::Stopped ? "stopped" : "has ended");
}

/// A job that is to be stopped.
struct Wanted {
  cluster::JobEntry entry;
  Result<cluster::JobReport> report;

  [[nodiscard]] bool lives() const {
    return !entry.ended && report &&
           (std::holds_alternative<cluster::Queued>(*report) ||
            std::holds_alternative<cluster::Running>(*report));
  }
};

int stop_one(Session& session, const StopOptions& command, const Wanted& wanted) {
  const cluster::JobFolder& folder = wanted.entry.folder;
  if (wanted.lives()) {
    return stop_now(session, command, folder);
  }
  if (!wanted.report) {
    return fail(session.console, wanted.report.error());
  }
  return say_stopped(session, command, folder,
                     std::holds_alternative<cluster::Lost>(*wanted.report) && !wanted.entry.ended
                         ? "has no master: none of it is running"
                         : "has already ended");
}

}  // namespace

int stop_job(Session& session, const StopOptions& command) {
  // Find them all before telling any: `last` and the beginning of an id must mean the same
  // throughout.
  std::vector<Wanted> all;
  for (const std::string& id : command.ids) {
    Result<cluster::JobEntry> entry = find_entry(session, id, command.on);
    if (!entry) {
      return fail(session.console, entry.error());
    }
    Result<cluster::JobReport> report =
        entry->ended ? Result<cluster::JobReport>(cluster::Lost{})
                     : session.clusters->of(entry->folder).report(entry->folder);
    all.push_back({.entry = *std::move(entry), .report = std::move(report)});
  }
  // Tell them all first, so that they end at the same time.
  for (const Wanted& wanted : all) {
    if (all.size() > 1 && wanted.lives()) {
      (void)ask_to_stop(session, command, wanted.entry.folder, true);
    }
  }
  int status = 0;
  for (const Wanted& wanted : all) {
    const int each = stop_one(session, command, wanted);
    status = status == 0 ? each : status;
  }
  return status;
}

}  // namespace muster::client
