#include "agent/program/programs.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kBetweenLooks = std::chrono::seconds(1);
constexpr Duration kLastLook = std::chrono::seconds(10);
/// A look that takes long, on a slow disk or with many files, is followed by a rest of this many
/// times its length.
constexpr int64_t kRest = 100;
constexpr Duration kRestMax = std::chrono::minutes(1);
constexpr size_t kShownBytesMax = 120;

bool is_elsewhere(const std::string& folder) { return folder.find("://") != std::string::npos; }

}  // namespace

/// One attempt.
struct Programs::Watched {
  explicit Watched(rt::Loop& loop) : begun(loop), idle(loop) { idle.set(); }

  std::string stem;
  ToldSeries series;
  std::shared_ptr<EventFolder> folder;  ///< nullptr: none readable here. Shared with the pool.
  std::unique_ptr<os::LineSocket> socket;
  rt::Event begun;  ///< Set once there is something to look at.
  rt::Event idle;   ///< Set while no look is under way.
  bool said_bad_line = false;
  bool said_names = false;
  rt::Running running;  ///< Last: it uses all of the above.
};

Programs::Programs(Deps deps) : deps_(std::move(deps)) {}

Programs::~Programs() = default;

void Programs::drop(job::AttemptId id) { watched_.erase(id); }

ToldSeries::Now Programs::now() const { return {deps_.loop.now(), deps_.loop.wall_now()}; }

void Programs::begin(const TaskRun& run, TaskRun::StartOptions& options, About about) {
  const job::AttemptId id = run.names().attempt;
  auto watched = std::make_unique<Watched>(deps_.loop);
  watched->stem = std::move(about.stem);
  if (deps_.open_socket) {
    open_socket(id, *watched, run.names().work_folder);
  }
  open_folder(run, options, about, *watched);
  if (watched->socket != nullptr) {
    options.environment[kReportVariable] = watched->socket->path();
  }
  watched->running = rt::start(deps_.loop, run_looks(id), [] {});
  watched_[id] = std::move(watched);
}

void Programs::open_socket(job::AttemptId id, Watched& watched, const os::Path& folder) {
  auto take = [this, id](std::string_view line) -> std::string {
    const auto found = watched_.find(id);
    if (found == watched_.end()) {
      return {};
    }
    Watched& told = *found->second;
    const std::string trouble = told.series.take_line(line, now());
    told.begun.set();
    if (trouble.empty()) {
      return {};
    }
    if (!std::exchange(told.said_bad_line, true)) {
      deps_.log.warning(
          "report.bad_line",
          {{"attempt", told.stem}, {"error", trouble}, {"line", line.substr(0, kShownBytesMax)}});
    }
    return "{\"error\":" + json_quote(trouble) + "}\n";
  };
  Result<std::unique_ptr<os::LineSocket>> socket =
      deps_.open_socket(folder / ".muster-report", std::move(take));
  if (!socket) {
    deps_.log.warning("report.no_socket",
                      {{"attempt", watched.stem}, {"error", socket.error().message}});
    return;
  }
  watched.socket = std::move(*socket);
}

void Programs::open_folder(const TaskRun& run, const TaskRun::StartOptions& options,
                           const About& about, Watched& watched) {
  const auto logdir = options.environment.find("TB_LOG_DIR");
  if (logdir == options.environment.end() || logdir->second.empty() ||
      is_elsewhere(logdir->second)) {
    return;
  }
  const os::Path& own = run.names().work_folder;
  EventFolder::Options folder;
  folder.folder = (own / logdir->second).lexically_normal();
  folder.since = deps_.loop.wall_now();
  folder.shared = std::ranges::mismatch(own, folder.folder).in1 != own.end();
  folder.takes_unnamed = about.takes_unnamed;
  watched.folder = std::make_shared<EventFolder>(deps_.files, std::move(folder));
  watched.begun.set();
}

rt::Async<> Programs::run_looks(job::AttemptId id) {
  Watched& watched = *watched_.at(id);  // Owns this coroutine.
  co_await watched.begun.wait();
  while (true) {
    const HostTime before = deps_.loop.now();
    const Result<bool> more = co_await look(id);
    hand_on(id);
    const HostTime after = deps_.loop.now();
    const Duration rest = std::min<Duration>((after - before) * kRest, kRestMax);
    const Duration usual = more.value_or(false) ? kBetweenLooks / 10 : kBetweenLooks;
    co_await rt::pause_until(deps_.loop, std::max(before + usual, after + rest));
  }
}

rt::Async<Result<bool>> Programs::look(job::AttemptId id) {
  Watched& watched = *watched_.at(id);
  co_await watched.idle.wait();
  if (watched.folder == nullptr) {
    co_return false;
  }
  watched.idle.reset();
  auto work = [folder = watched.folder, processes = deps_.processes(id)] {
    return folder->look(processes);
  };
  EventFolder::Look seen = co_await rt::run_blocking(deps_.loop, std::move(work));
  watched.idle.set();
  if (const auto first = std::ranges::min_element(seen.found, {}, &EventFolder::Found::run);
      first != seen.found.end()) {
    watched.series.begin_run(first->run);
  }
  for (EventFolder::Found& each : seen.found) {
    watched.series.take_event(each.run, std::move(each.scalar), now());
  }
  for (const std::string& trouble : seen.troubles) {
    deps_.log.warning("events.trouble", {{"attempt", watched.stem}, {"error", trouble}});
  }
  co_return seen.more;
}

void Programs::hand_on(job::AttemptId id, bool last) {
  const auto found = watched_.find(id);
  if (found == watched_.end()) {
    return;
  }
  Watched& watched = *found->second;
  if (watched.series.names_refused() > 0 && !std::exchange(watched.said_names, true)) {
    deps_.log.warning("report.too_many_names",
                      {{"attempt", watched.stem}, {"names_max", ToldSeries::kNamesMax}});
  }
  std::vector<Told> told = last ? watched.series.take_rest(now()) : watched.series.take_away(now());
  if (!told.empty()) {
    deps_.told(id, std::move(told));
  }
}

bool Programs::has_more(job::AttemptId id) const {
  const auto found = watched_.find(id);
  if (found == watched_.end()) {
    return false;
  }
  Watched& watched = *found->second;
  if (watched.socket != nullptr) {
    watched.socket->drain();  // A program may have written its last line just now.
  }
  return watched.folder != nullptr || !watched.series.empty();
}

rt::Async<> Programs::finish(job::AttemptId id) {
  const auto found = watched_.find(id);
  if (found == watched_.end()) {
    co_return;
  }
  // A disk that hangs must not delay the attempt's end.
  const HostTime until = deps_.loop.now() + kLastLook;
  bool more = true;
  while (more) {
    more = (co_await rt::with_deadline(deps_.loop, until, "its event files", look(id)))
               .value_or(false);
  }
  hand_on(id, true);
  drop(id);
}

}  // namespace muster::agent
