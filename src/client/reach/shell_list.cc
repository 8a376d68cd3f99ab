#include "client/reach/shell_list.h"

#include "base/text.h"
#include "client/reach/job_streams.h"
#include "client/reach/reach_rules.h"
#include "client/reach/task_selection.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "eventlog/derive_plan.h"
#include "eventlog/json_text.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

constexpr size_t kAskedAtOnce = 32;
constexpr Duration kListedWithin = std::chrono::seconds(15);
/// A task that is not running now has no shell.
constexpr Duration kWaitToList = std::chrono::seconds(1);

/// Asks the tasks' agents which shells they keep.
class ShellListRun {
 public:
  ShellListRun(Session& session, cluster::JobFolder job, std::vector<std::string> tasks)
      : session_(session), names_(std::move(tasks)), streams_(session, std::move(job), loop_) {}

  /// Returns an error, or a status if it was interrupted.
  Result<std::optional<int>> run();
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string json() const;

 private:
  struct Member {
    job::TaskId task;
    uint64_t stream = 0;  ///< 0: not asked yet.
    bool done = false;
    std::vector<wire::Shell> shells;
  };

  Status on_welcome(const wire::ClientWelcome& welcome);
  void on_frame(const wire::StreamFrame& frame);
  void ask_more();
  void stop(const Error& error) {
    failure_ = error;
    loop_.stop();
  }

  Session& session_;
  std::vector<std::string> names_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<job::Plan> plan_;
  std::vector<Member> members_;
  std::optional<int> interrupted_;
  std::optional<Error> failure_;
  JobStreams streams_;
};

Result<std::optional<int>> ShellListRun::run() {
  constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
  MUSTER_TRY(signals_, os::take_signals(loop_, kEnding, [this](int signal) {
               interrupted_ = 128 + signal;
               loop_.stop();
             }));
  os::ignore_broken_pipes();
  MUSTER_TRY_STATUS(
      streams_.start({.patience = kListedWithin},
                     {.opened =
                          [this](const wire::ClientWelcome& welcome) {
                            if (const Status begun = on_welcome(welcome); !begun) {
                              stop(begun.error());
                            }
                          },
                      .frame = [this](const wire::StreamFrame& frame) { on_frame(frame); },
                      .lost = [this](const std::string& why) { stop(cluster_error(why)); }}));
  loop_.run();
  if (failure_) {
    return *failure_;
  }
  return interrupted_;
}

Status ShellListRun::on_welcome(const wire::ClientWelcome& welcome) {
  MUSTER_TRY(plan_, eventlog::derive_plan(welcome.plan_json, welcome.job_id, welcome.seed));
  MUSTER_TRY(const std::vector<job::TaskId> tasks, tasks_or_all(names_, *plan_));
  MUSTER_TRY_STATUS(check_reach(session_, spec::Reach::Shell, *plan_, tasks));
  for (const job::TaskId task : tasks) {
    members_.push_back({.task = task, .shells = {}});
  }
  ask_more();
  return {};
}

void ShellListRun::ask_more() {
  auto asked = static_cast<size_t>(std::ranges::count_if(
      members_, [](const Member& member) { return member.stream != 0 && !member.done; }));
  for (Member& member : members_) {
    if (member.stream == 0 && asked < kAskedAtOnce) {
      ++asked;
      member.stream = streams_->open(
          {.attempt = {member.task, 0}, .wait = kWaitToList, .request = wire::ShellsRequest{}});
    }
  }
  if (asked == 0) {
    loop_.stop();
  }
}

void ShellListRun::on_frame(const wire::StreamFrame& frame) {
  const auto member = std::ranges::find(members_, frame.id, &Member::stream);
  if (member == members_.end() || member->done) {
    return;
  }
  if (const auto* data = std::get_if<wire::StreamData>(&frame.kind)) {
    Result<wire::ShellList> list = wire::decode_shell_list(data->bytes);
    if (!list) {
      return stop(list.error());
    }
    member->shells = std::move(list->shells);
  } else if (std::holds_alternative<wire::StreamClosed>(frame.kind)) {
    streams_->send({frame.id, wire::StreamClosed{}});
    member->done = true;
  } else if (std::holds_alternative<wire::StreamReset>(frame.kind)) {
    member->done = true;  // It does not run.
  }
  ask_more();
}

/// "joined", "left 3m ago", "ended".
std::string shell_state(const wire::Shell& shell) {
  if (shell.ended) {
    return "ended";
  }
  return shell.alone ? fmt::format("left {} ago", format_duration(*shell.alone)) : "joined";
}

std::string ShellListRun::text() const {
  std::string out;
  for (const Member& member : members_) {
    for (const wire::Shell& shell : member.shells) {
      out += fmt::format("{:<14} {:>5}  {:>8}  {:>10}  {}\n", to_string(*plan_, member.task),
                         shell.number, shell.pid, format_duration(shell.age), shell_state(shell));
    }
  }
  return out.empty() ? "no shells\n"
                     : fmt::format("{:<14} {:>5}  {:>8}  {:>10}  {}\n", "task", "shell", "pid",
                                   "age", "state") +
                           out;
}

std::string ShellListRun::json() const {
  std::string shells;
  for (const Member& member : members_) {
    for (const wire::Shell& shell : member.shells) {
      const std::optional<int64_t> alone_ms =
          shell.alone ? std::optional(shell.alone->count() / 1000) : std::nullopt;
      shells += (shells.empty() ? "" : ",") + eventlog::JsonObject()
                                                  .text("task", to_string(*plan_, member.task))
                                                  .number("shell", shell.number)
                                                  .number("pid", shell.pid)
                                                  .number("age_ms", shell.age.count() / 1000)
                                                  .number("left_ms", alone_ms)
                                                  .raw("ended", shell.ended ? "true" : "false")
                                                  .str();
    }
  }
  return eventlog::JsonObject()
             .text("schema", "muster.shells/1")
             .text("job", streams_.folder().id().value)
             .raw("shells", "[" + shells + "]")
             .str() +
         "\n";
}

}  // namespace

int list_shells(Session& session, const std::string& job, const std::string& on,
                const std::vector<std::string>& tasks, bool json) {
  const Result<FoundJob> found = find_running_job(session, job, on);
  if (!found) {
    return fail(session.console, found.error());
  }
  ShellListRun run(session, found->folder, tasks);
  const Result<std::optional<int>> ran = run.run();
  if (!ran) {
    return fail(session.console, ran.error());
  }
  if (*ran) {
    return **ran;
  }
  session.console.out(json ? run.json() : run.text());
  return 0;
}

}  // namespace muster::client
