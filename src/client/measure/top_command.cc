#include "base/text.h"
#include "client/commands.h"
#include "client/measure/top_screen.h"
#include "client/measure/top_view.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/show/job_rows.h"
#include "client/show/job_watch.h"
#include "client/submit/secret.h"
#include "cluster/cluster.h"
#include "control/tls_transport.h"
#include "eventlog/derive_plan.h"
#include "os/process/shared_input.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

constexpr Duration kBetweenFrames = std::chrono::milliseconds(250);
/// Jobs begin and end meanwhile, which nobody pushes.
constexpr Duration kBetweenListings = std::chrono::seconds(5);
constexpr Duration kAnswersMax = std::chrono::seconds(5);
constexpr unsigned kPrintedWidth = 100;
constexpr std::array kTopSignals = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};

bool shows_utf8(const Environment& environment) {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = environment.find(name).value_or("");
    if (!value.empty()) {
      return value.find("UTF-8") != std::string::npos || value.find("utf8") != std::string::npos ||
             value.find("UTF8") != std::string::npos || value.find("utf-8") != std::string::npos;
    }
  }
  return false;
}

std::string number_json(std::string_view name, const std::optional<double>& value) {
  return fmt::format("\"{}\":{}", name,
                     value && std::isfinite(*value) ? fmt::format("{}", *value) : "null");
}

std::string task_json(const TopTask& task) {
  const TopUsage& usage = task.usage;
  return fmt::format(R"({{"index":{},"state":{},"attempt":{},"host":{},{},{},{},{},{},{},{}}})",
                     task.index, json_quote(task.state), task.attempt, json_quote(task.host),
                     number_json("cpu", usage.cpu), number_json("memory_bytes", usage.memory_bytes),
                     number_json("memory_limit_bytes", usage.memory_limit_bytes),
                     number_json("gpu", usage.gpu), number_json("step", usage.step),
                     number_json("max_steps", usage.steps_max),
                     number_json("steps_per_second", usage.steps_per_second));
}

std::string jobs_json(const std::vector<TopJob>& jobs) {
  std::string text;
  for (const TopJob& job : jobs) {
    std::string roles;
    for (const TopRole& role : job.roles) {
      std::string tasks;
      for (const TopTask& task : role.tasks) {
        tasks += (tasks.empty() ? "" : ",") + task_json(task);
      }
      roles += fmt::format(R"({}{}:{{"tasks":[{}]}})", roles.empty() ? "" : ",",
                           json_quote(role.name), tasks);
    }
    text += fmt::format(R"({}{{"job":{},"phase":{},"roles":{{{}}}}})", text.empty() ? "" : ",",
                        json_quote(job.id), json_quote(job.phase), roles);
  }
  return R"({"schema":"muster.top/1","jobs":[)" + text + "]}\n";
}

/// `muster top` while it runs.
class Top {
 public:
  Top(Session& session, const TopOptions& command)
      : session_(session),
        command_(command),
        transport_(control::make_tls_transport(loop_, log::Logger(quiet_))),
        utf8_(shows_utf8(session.environment)),
        view_({.sparklines = utf8_, .unfolded = !full_screen()}) {}

  Status run();

 private:
  [[nodiscard]] bool full_screen() const {
    return !command_.once && !command_.json && session_.console.screen().out_is_terminal &&
           ::isatty(STDIN_FILENO) == 1;
  }
  Status find_jobs();
  Status watch(const cluster::JobFolder& folder);
  Status print_once();
  Status run_screen(TopScreen& screen);
  void paint(TopScreen& screen);
  [[nodiscard]] bool all_complete() const;
  [[nodiscard]] std::vector<TopJob> jobs() const;

  Session& session_;
  const TopOptions& command_;
  rt::IoLoop loop_;
  log::NullSink quiet_;
  std::unique_ptr<control::Transport> transport_;
  bool utf8_;
  TopView view_;
  std::map<std::string, std::unique_ptr<JobWatch>> watches_;  ///< By the job's id.
  std::string ended_;  ///< Why the requested job is no longer watched.
  bool dirty_ = true;
};

Status Top::watch(const cluster::JobFolder& folder) {
  const std::string id = folder.id().value;
  if (watches_.contains(id)) {
    return {};
  }
  cluster::Cluster& cluster = session_.clusters->of(folder);
  JobWatch::Options options;
  options.job_id = id;
  MUSTER_TRY(options.secret, read_secret(*session_.files, folder));
  options.who = session_.environment.who();
  options.patience = cluster.traits().master_patience;
  auto locate = [&cluster, folder]() -> Result<std::string> {
    MUSTER_TRY(const cluster::JobReport report, cluster.report(folder));
    MUSTER_TRY(cluster::MasterPlace place, cluster::place_in(report, folder));
    return std::move(place.address);
  };
  auto watch = std::make_unique<JobWatch>(JobWatch::Deps{.loop = loop_,
                                                         .transport = *transport_,
                                                         .locate = std::move(locate),
                                                         .make_plan = eventlog::derive_plan},
                                          std::move(options));
  watch->start([this] { dirty_ = true; });
  watches_[id] = std::move(watch);
  return {};
}

Status Top::find_jobs() {
  if (!command_.id.empty()) {
    MUSTER_TRY(const FoundJob job, find_job(session_, command_.id, command_.on));
    const std::string id = job.folder.id().value;
    if (job.ended() || job.lost()) {
      return user_error(fmt::format("{} {}; muster metrics {} shows what it used", id,
                                    job.ended() ? "has ended" : "has no master", id));
    }
    return watch(job.folder);
  }
  ListOptions options;
  options.on = command_.on;
  options.limit = UINT32_MAX;
  MUSTER_TRY(const JobRows rows, rows_of(session_, options, {.running = true, .ended = false}));
  for (const JobRow& row : rows.all) {
    MUSTER_TRY(const cluster::JobEntry entry, session_.home.find(row.id));
    if (const Status watched = watch(entry.folder); !watched) {
      view_.say(row.id + ": " + watched.error().message);
    }
  }
  return {};
}

std::vector<TopJob> Top::jobs() const {
  std::vector<TopJob> jobs;
  for (const auto& [id, watch] : watches_) {
    if (std::optional<TopJob> job = watch->show();
        job && (watch->over().empty() || !command_.id.empty())) {
      jobs.push_back(*std::move(job));
    }
  }
  return jobs;
}

bool Top::all_complete() const {
  return std::ranges::all_of(watches_, [](const auto& entry) {
    return entry.second->complete() || !entry.second->over().empty();
  });
}

Status Top::print_once() {
  const HostTime until = loop_.now() + kAnswersMax;
  while (!all_complete() && loop_.now() < until) {
    loop_.run_until(std::min(until, loop_.now() + kBetweenFrames / 10));
  }
  const std::vector<TopJob> shown = jobs();
  for (const auto& [id, watch] : watches_) {
    if (!watch->complete()) {
      session_.console.err(fmt::format(
          "muster: {}: {}\n", id,
          printable(watch->over().empty() ? "its master does not answer" : watch->over())));
    }
  }
  if (command_.json) {
    session_.console.out(jobs_json(shown));
    return {};
  }
  if (shown.empty()) {
    session_.console.out("no job is running\n");
    return {};
  }
  view_.show(shown);
  const Screen& screen = session_.console.screen();
  for (const std::string& line :
       view_.table(screen.out_is_terminal ? screen.width : kPrintedWidth)) {
    session_.console.out(line + "\n");
  }
  return {};
}

void Top::paint(TopScreen& screen) {
  if (!std::exchange(dirty_, false)) {
    return;
  }
  if (const auto only = watches_.begin(); !command_.id.empty() && only != watches_.end()) {
    view_.say(only->second->over().empty() ? "" : only->second->over() + "; q quits");
  }
  view_.show(jobs());
  screen.paint(view_.screen(screen.width(), screen.height()));
}

Status Top::run_screen(TopScreen& screen) {
  Status listed;
  MUSTER_TRY(const auto signals, os::take_signals(loop_, kTopSignals, [&](int signal) {
               if (signal == SIGWINCH) {
                 screen.resize();
                 dirty_ = true;
                 paint(screen);
                 return;
               }
               loop_.stop();
             }));
  screen.resize();  // It may have changed before anybody listened.
  const os::SharedInput shared(STDIN_FILENO);
  const auto input = shared.watch(loop_, [&] {
    const std::vector<TopKey> keys = screen.keys();
    if (keys.empty()) {
      loop_.stop();  // The terminal has gone.
      return;
    }
    for (const TopKey key : keys) {
      if (!view_.press(key)) {
        loop_.stop();
        return;
      }
    }
    dirty_ = true;
    paint(screen);
  });
  std::function<void()> frame = [&] {
    paint(screen);
    loop_.call_after(kBetweenFrames, [&] { frame(); });
  };
  std::function<void()> listing = [&] {
    if (command_.id.empty()) {
      listed = find_jobs();
      view_.say(listed ? "" : listed.error().message);
      std::erase_if(watches_, [](const auto& entry) { return !entry.second->over().empty(); });
      dirty_ = true;
      loop_.call_after(kBetweenListings, [&] { listing(); });
    }
  };
  loop_.call_after(kBetweenListings, [&] { listing(); });
  frame();
  loop_.run();
  return {};
}

Status Top::run() {
  MUSTER_TRY_STATUS(find_jobs());
  if (!full_screen()) {
    return print_once();
  }
  const std::string term = session_.environment.find("TERM").value_or("");
  Result<std::unique_ptr<TopScreen>> screen = TopScreen::open(term, utf8_);
  if (!screen) {
    session_.console.err("muster: " + printable(screen.error().message) +
                         "; printing the table once\n");
    view_ = TopView({.sparklines = utf8_, .unfolded = true});
    return print_once();
  }
  return run_screen(**screen);
}

}  // namespace

int show_top(Session& session, const TopOptions& command) {
  Top top(session, command);
  const Status shown = top.run();
  return shown ? 0 : fail(session.console, shown.error());
}

}  // namespace muster::client
