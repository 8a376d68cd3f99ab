#include "cluster/yarn/output/yarn_outputs.h"

#include "base/text.h"
#include "cluster/job_reading.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {
namespace {

// A cluster collects the logs of a job that has just ended within seconds.
constexpr Duration kCollectingMax = std::chrono::seconds(30);
constexpr Duration kCollectingPause = std::chrono::milliseconds(500);
constexpr uint32_t kFileMode = 0600;
constexpr Duration kLockPause = std::chrono::milliseconds(1);
/// A follower that was stopped (Ctrl-Z) may hold the copy for ever.
constexpr Duration kLockMax = std::chrono::seconds(5);

/// Marks that all output of an ended job is here.
std::filesystem::path whole_mark(const JobFolder& job) { return job.logs() / "whole"; }

std::vector<LogSource> sources_of(const JobReading& reading, const LogFilter& filter) {
  std::map<std::string, std::string> containers;
  for (const auto& role : reading.state().tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        LogStream stream;
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
  std::vector<LogSource> sources;
  for (const auto& [container, host] : containers) {
    sources.push_back({.container = container, .node = host});
  }
  return sources;
}

/// Returns where the newest part of a stream begins, counted from the stream's beginning.
uint64_t begin_of_part(os::Files& files, const std::filesystem::path& path) {
  const Result<std::string> times = files.read(path.string() + ".times");
  uint64_t newest_part = 0;
  for (const std::string_view line : split(times ? std::string_view(*times) : "", '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() > 2) {
      (void)std::from_chars(words[0].data(), words[0].data() + words[0].size(), newest_part);
    }
  }
  return newest_part;
}

uint64_t size_of(os::Files& files, const std::filesystem::path& path) {
  const Result<os::FileStat> stat = files.stat(path);
  return stat ? stat->size_bytes : 0;
}

}  // namespace

YarnOutputs::YarnOutputs(Deps deps, JobFolder job, std::vector<std::string> roles, LogFilter filter)
    : deps_(std::move(deps)),
      job_(std::move(job)),
      filter_(filter),
      here_(deps_.files, job_.logs(), std::move(roles), std::move(filter)) {}

bool YarnOutputs::wants_everything() const { return filter_.tasks.empty() && !filter_.attempt; }

/// Null if the file system has no locks, or another process holds it for too long: a line twice is
/// better than none.
std::unique_ptr<os::FileLock> YarnOutputs::lock_copy() {
  const std::filesystem::path path = job_.logs() / "copy.lock";
  Result<std::unique_ptr<os::FileLock>> lock = deps_.files.try_lock(path, kFileMode);
  for (Duration waited{}; !lock && lock.error().code == Errc::AlreadyExists && waited < kLockMax;
       waited += kLockPause) {
    deps_.session.pause(kLockPause);
    lock = deps_.files.try_lock(path, kFileMode);
  }
  return lock ? *std::move(lock) : nullptr;
}

Result<Outputs::Gaps> YarnOutputs::refresh() {
  MUSTER_TRY_STATUS(deps_.files.make_folders(job_.logs(), 0700));
  const std::unique_ptr<os::FileLock> lock = lock_copy();
  return bring();
}

Result<Outputs::Gaps> YarnOutputs::bring() {
  const bool ended = deps_.files.exists(job_.summary());
  if (ended && deps_.files.exists(whole_mark(job_))) {
    return Gaps();
  }
  if (!ended) {
    JobFetcher fetcher(deps_.session, deps_.files, deps_.plan_of, deps_.log_limits);
    MUSTER_TRY_STATUS(fetcher.bring_log(job_));
  }
  MUSTER_TRY(const JobReading reading, read_job(deps_.files, job_, deps_.plan_of));
  const std::vector<LogSource> sources = sources_of(reading, filter_);
  if (ended) {
    return bring_ended(sources, reading.replayed.last_wall);
  }
  MUSTER_TRY(const ApplicationFile application, deps_.session.application_of(job_));
  MUSTER_TRY([[maybe_unused]] Session* const session, deps_.session.open_for(application));
  return LogMirror(deps_.session, deps_.files, job_.logs(), deps_.limits).bring_live(sources);
}

/// Waits a little for a cluster that is just collecting it. `last`: when the job's log ends.
Result<Outputs::Gaps> YarnOutputs::bring_ended(const std::vector<LogSource>& sources,
                                               WallTime last) {
  MUSTER_TRY(const ApplicationFile application, deps_.session.application_of(job_));
  MUSTER_TRY(Session* const session, deps_.session.open_for(application));
  LogMirror mirror(deps_.session, deps_.files, job_.logs(), deps_.limits);
  const std::string& owner =
      deps_.limits.owner.empty() ? session->site().identity.user : deps_.limits.owner;
  rt::IoLoop& loop = deps_.session.loop();
  // The end's time is the clock of the master's host, which may be far from this one's.
  const Duration since = loop.wall_now() - last;
  const HostTime patience_ends =
      loop.now() + kCollectingMax - std::clamp<Duration>(since, Duration::zero(), kCollectingMax);
  while (true) {
    MUSTER_TRY(Gaps gaps, mirror.bring_ended(sources, owner));
    if (gaps.empty() && wants_everything()) {
      MUSTER_TRY_STATUS(deps_.files.write(whole_mark(job_), "", {.mode = kFileMode}));
    }
    if (gaps.empty() || loop.now() >= patience_ends) {
      return gaps;
    }
    deps_.session.pause(kCollectingPause);
  }
}

Status YarnOutputs::take(const OutputPiece& piece) {
  const std::filesystem::path path =
      job_.logs() / (JobFolder::attempt_stem(piece.role, piece.index, piece.attempt) +
                     (piece.is_err ? ".stderr" : ".stdout"));
  const std::unique_ptr<os::FileLock> lock = lock_copy();
  auto begin = begins_.find(path);
  if (begin == begins_.end()) {
    begin = begins_.emplace(path, begin_of_part(deps_.files, path)).first;
  }
  // Another follower of the job on this host may have written it.
  uint64_t end = begin->second + size_of(deps_.files, path);
  if (piece.offset > end) {
    // What the master left out because the reader was slow.
    MUSTER_TRY([[maybe_unused]] const Gaps gaps, bring());
    begin->second = begin_of_part(deps_.files, path);
    end = begin->second + size_of(deps_.files, path);
    // The nodes show only the last part of a long one.
    begin->second += std::max(piece.offset, end) - end;
    end = std::max(piece.offset, end);
  }
  const uint64_t after = piece.offset + piece.bytes.size();
  if (after > end) {
    const uint64_t skip = end - std::min(end, piece.offset);
    MUSTER_TRY(const std::unique_ptr<os::AppendFile> file,
               deps_.files.open_append(path, kFileMode));
    MUSTER_TRY_STATUS(file->append(piece.bytes.substr(skip)));
  }
  return {};
}

}  // namespace muster::cluster::yarn
