#include "app/yarn_logs.h"

#include "app/failure.h"
#include "app/follow_command.h"
#include "base/text.h"
#include "cluster/yarn/log_mirror.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <utility>

namespace muster::app {
namespace {

namespace yarn = cluster::yarn;

// A cluster collects the logs of a job that has just ended within seconds.
constexpr Duration kCollectingMax = std::chrono::seconds(30);
constexpr Duration kLookPause = std::chrono::milliseconds(500);

std::filesystem::path whole_mark(const cluster::JobFolder& folder) {
  return folder.logs() / "whole";
}

std::vector<yarn::LogSource> sources_of(const client::JobReading& reading,
                                        const client::LogFilter& filter) {
  std::map<std::string, std::string> containers;
  for (const auto& role : reading.state().tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        client::LogStream stream;
        stream.role = reading.replayed.machine.plan().role(task.id.role).name;
        stream.index = task.id.index;
        stream.attempt = attempt.number;
        stream.is_err = filter.is_err.value_or(false);
        if (filter.admits(stream)) {
          containers[attempt.container.value] = attempt.host.value;
        }
      }
    }
  }
  std::vector<yarn::LogSource> sources;
  for (const auto& [container, host] : containers) {
    sources.push_back({.container = container, .node = host});
  }
  return sources;
}

void say_gaps(Session& session, const yarn::LogMirror::Gaps& gaps) {
  for (const std::string& gap : gaps) {
    session.console.err("muster: " + printable(gap) + "\n");
  }
}

/// Output of a job that is over; waits a little for a cluster that collects it just now.
Status bring_ended(Session& session, const FoundJob& job, const client::LogFilter& filter) {
  if (session.files->exists(whole_mark(job.entry.folder))) {
    return {};
  }
  const auto client = yarn_client_of(session, job.entry.folder);
  MUSTER_TRY(yarn::Session* const line, client->cluster().session_of(job.entry.folder.root()));
  yarn::LogMirror mirror(client->cluster(), *session.files, job.entry.folder.logs());
  const std::vector<yarn::LogSource> sources = sources_of(job.reading, filter);
  rt::IoLoop loop;
  // The end's time is the clock of the master's host, which may be far from this one's.
  const Duration since = session.now() - job.reading.replayed.last_wall;
  const HostTime patience_ends =
      loop.now() + kCollectingMax - std::clamp<Duration>(since, Duration::zero(), kCollectingMax);
  while (true) {
    MUSTER_TRY(const yarn::LogMirror::Gaps gaps,
               mirror.bring_ended(sources, line->site().identity.user));
    const bool everything = filter.role.empty() && !filter.index && !filter.attempt;
    if (gaps.empty() && everything) {
      return session.files->write(whole_mark(job.entry.folder), "", {.mode = 0600});
    }
    if (gaps.empty() || loop.now() >= patience_ends) {
      say_gaps(session, gaps);
      return {};
    }
    loop.run_until(loop.now() + kLookPause);
  }
}

/// Where the newest part of a stream ends, counted from the stream's beginning.
uint64_t end_of_stream(os::Files& files, const std::filesystem::path& path) {
  const Result<os::FileStat> stat = files.stat(path);
  uint64_t end = stat ? stat->size_bytes : 0;
  const Result<std::string> times = files.read(path.string() + ".times");
  uint64_t newest_part = 0;
  for (const std::string_view line : split(times ? std::string_view(*times) : "", '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() > 2) {
      (void)std::from_chars(words[0].data(), words[0].data() + words[0].size(), newest_part);
    }
  }
  return end + newest_part;
}

/// Puts the output that a master sends behind what the folder here has already.
class LiveOutput {
 public:
  LiveOutput(Session& session, const FoundJob& job, const client::LogFilter& filter,
             client::LogViewer& viewer)
      : session_(session), job_(job), filter_(filter), viewer_(viewer) {}

  void take(const wire::Output& output);
  [[nodiscard]] const Status& state() const { return state_; }

 private:
  Status append(const wire::Output& output);
  [[nodiscard]] std::filesystem::path path_of(const wire::Output& output) const;
  Status fill_gap();

  Session& session_;
  const FoundJob& job_;
  const client::LogFilter& filter_;
  client::LogViewer& viewer_;
  std::map<std::filesystem::path, uint64_t> ends_;
  Status state_;
};

std::filesystem::path LiveOutput::path_of(const wire::Output& output) const {
  const job::TaskId task = output.attempt.task;
  const std::string stem = cluster::JobFolder::attempt_stem(
      job_.reading.replayed.machine.plan().role(task.role).name, task.index, output.attempt.number);
  const bool is_err = output.stream == wire::OutputStream::Stderr;
  return job_.entry.folder.logs() / (stem + (is_err ? ".stderr" : ".stdout"));
}

/// Brings what the master left out for a reader that was slow, from the nodes.
Status LiveOutput::fill_gap() {
  client::JobEntry entry = job_.entry;
  MUSTER_TRY_STATUS(bring_up_to_date(session_, entry));
  MUSTER_TRY(client::JobReading reading,
             client::read_job_folder(*session_.files, entry, plan_of()));
  const FoundJob now{std::move(entry), std::move(reading)};
  return bring_logs(session_, now, filter_);
}

Status LiveOutput::append(const wire::Output& output) {
  const std::filesystem::path path = path_of(output);
  const auto known = ends_.find(path);
  uint64_t end = known == ends_.end() ? end_of_stream(*session_.files, path) : known->second;
  if (output.offset > end) {
    MUSTER_TRY_STATUS(fill_gap());
    end = end_of_stream(*session_.files, path);
  }
  const uint64_t after = output.offset + output.bytes.size();
  if (after > end) {
    const uint64_t skip = end - std::min(end, output.offset);
    MUSTER_TRY(const std::unique_ptr<os::AppendFile> file, session_.files->open_append(path, 0600));
    MUSTER_TRY_STATUS(file->append(std::string_view(output.bytes).substr(skip)));
  }
  ends_[path] = std::max(after, end);
  return {};
}

void LiveOutput::take(const wire::Output& output) {
  if (state_ &&
      output.attempt.task.role.value < job_.reading.replayed.machine.plan().roles.size()) {
    state_ = append(output);
  }
  if (state_) {
    state_ = viewer_.show_new();
  }
}

}  // namespace

Status bring_logs(Session& session, const FoundJob& job, const client::LogFilter& filter) {
  if (job.entry.ended) {
    return bring_ended(session, job, filter);
  }
  const auto client = yarn_client_of(session, job.entry.folder);
  MUSTER_TRY(yarn::Session * line, client->cluster().session_of(job.entry.folder.root()));
  (void)line;
  yarn::LogMirror mirror(client->cluster(), *session.files, job.entry.folder.logs());
  MUSTER_TRY(const yarn::LogMirror::Gaps gaps, mirror.bring_live(sources_of(job.reading, filter)));
  say_gaps(session, gaps);
  return {};
}

int follow_yarn_logs(Session& session, const FoundJob& job, const client::LogFilter& filter,
                     client::LogViewer& viewer) {
  if (const Status shown = viewer.show_new(); !shown) {
    return fail(session.console, shown.error());
  }
  LiveOutput live(session, job, filter, viewer);
  FollowCommand follow;
  follow.folder = job.entry.folder;
  follow.only_watches = true;
  follow.quiet = true;
  follow.take_output = [&](const wire::Output& output) { live.take(output); };
  const Result<Followed> followed = follow_job(session, follow);
  if (!followed || !live.state()) {
    return fail(session.console, followed ? live.state().error() : followed.error());
  }
  if (followed->end.kind == client::FollowEnd::Kind::Detached) {
    return kDetached;
  }
  if (followed->end.kind == client::FollowEnd::Kind::Lost) {
    return fail(session.console, cluster_error(followed->end.error));
  }
  client::JobEntry entry = job.entry;
  Status brought = bring_up_to_date(session, entry);
  if (brought) {
    Result<client::JobReading> reading = client::read_job_folder(*session.files, entry, plan_of());
    brought = reading ? bring_logs(session, FoundJob{std::move(entry), *std::move(reading)}, filter)
                      : Status(reading.error());
  }
  if (brought) {
    brought = viewer.show_new();
  }
  viewer.finish();
  return brought ? 0 : fail(session.console, brought.error());
}

}  // namespace muster::app
