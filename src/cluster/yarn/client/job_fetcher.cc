#include "cluster/yarn/client/job_fetcher.h"

#include "cluster/job_reading.h"
#include "cluster/sample_store.h"
#include "cluster/yarn/staging/staging.h"
#include "eventlog/segment_store.h"
#include "eventlog/summary.h"
#include "hadoop/hdfs/names/path.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
namespace hdfs = hadoop::hdfs;

constexpr Duration kSummaryPause = std::chrono::milliseconds(100);
constexpr Duration kHomeMax = std::chrono::seconds(20);
constexpr Duration kLateMax = std::chrono::seconds(3);
constexpr uint32_t kSummaryMode = 0600;
/// For a summary: far above those of the largest jobs.
constexpr uint64_t kSummaryBytesMax = 16U << 20;

/// Returns whether a master ever began the job's log.
rt::Async<Result<bool>> has_log(hdfs::FileSystem* files, std::string folder) {
  auto listed = co_await files->list(Staging::events_folder(folder));
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> segments, std::move(listed));
  co_return std::ranges::any_of(segments, [](const hdfs::FileStatus& segment) {
    return eventlog::parse_segment_name(segment.name).has_value();
  });
}

}  // namespace

Status JobFetcher::bring_log(const JobFolder& job) {
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  const Status brought = session_.run(fetch_log(session, application.folder, job));
  return brought || brought.error().code == Errc::NotFound ? Status() : brought;
}

Status JobFetcher::bring_home(const JobFolder& job) {
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  rt::IoLoop& loop = session_.loop();
  HostTime deadline = loop.now() + kHomeMax;
  while (true) {
    MUSTER_TRY(const bool whole, session_.run(fetch(session, application.folder, job)));
    if (whole) {
      return {};
    }
    // Without a log there was no master; a master that its cluster has ended no longer writes.
    MUSTER_TRY(const bool begun, session_.run(has_log(&session->files(), application.folder)));
    const auto report = session_.report_of(application);
    if (report.has_value() && rm::is_over(report->state)) {
      deadline = std::min(deadline, loop.now() + kLateMax);
    }
    if (!begun || loop.now() >= deadline) {
      return Error{Errc::NotFound, Blame::Cluster,
                   "the job's master did not write a summary to " + application.folder};
    }
    session_.pause(kSummaryPause);
  }
}

/// Returns false while there is no summary, which is written last.
rt::Async<Result<bool>> JobFetcher::fetch(Session* session, std::string from, JobFolder to) {
  hdfs::FileSystem& remote = session->files();
  auto summary = co_await remote.read_whole(Staging::summary_file(from), {}, kSummaryBytesMax);
  if (!summary.has_value() && summary.error().code == Errc::NotFound) {
    co_return false;
  }
  MUSTER_CO_TRY(const std::string summary_text, std::move(summary));
  auto fetched = co_await fetch_log(session, std::move(from), to);
  MUSTER_CO_TRY_STATUS(std::move(fetched));
  MUSTER_CO_TRY_STATUS(files_.write(to.summary(), summary_text, {.mode = 0600}));
  co_return true;
}

rt::Async<Status> JobFetcher::fetch_log(Session* session, std::string from, JobFolder to) {
  hdfs::FileSystem& remote = session->files();
  auto listed = co_await remote.list(Staging::events_folder(from));
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> segments, std::move(listed));
  uint64_t left = limits_.log_bytes_max;
  for (const hdfs::FileStatus& segment : segments) {
    if (!eventlog::parse_segment_name(segment.name).has_value()) {
      continue;
    }
    auto read = co_await remote.read_whole(
        hdfs::child_of(Staging::events_folder(from), segment.name), {}, left);
    MUSTER_CO_TRY(const std::string bytes, std::move(read));
    left -= bytes.size();
    MUSTER_CO_TRY_STATUS(files_.write(to.events() / segment.name, bytes, {.mode = 0600}));
  }
  co_return Status();
}

Status JobFetcher::bring_samples(const JobFolder& job) {
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  const Status brought = session_.run(fetch_samples(session, application.folder, job));
  return brought || brought.error().code == Errc::NotFound ? Status() : brought;
}

rt::Async<Status> JobFetcher::fetch_samples(Session* session, std::string from, JobFolder to) {
  hdfs::FileSystem& remote = session->files();
  const std::string folder = Staging::metrics_folder(from);
  auto listed = co_await remote.list(folder);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  MUSTER_CO_TRY_STATUS(files_.make_folders(to.metrics(), 0700));
  uint64_t left = limits_.sample_bytes_max;
  for (const hdfs::FileStatus& entry : entries) {
    // The name becomes a local one.
    if (entry.name.empty() || entry.name.find('/') != std::string::npos ||
        entry.name.starts_with('.')) {
      continue;
    }
    // Files only grow, and the last one of each kind is longer than HDFS says while it is open.
    const Result<os::FileStat> here = files_.stat(to.metrics() / entry.name);
    if (here && entry.size_bytes > 0 && here->size_bytes == entry.size_bytes) {
      continue;
    }
    auto read = co_await remote.read_whole(hdfs::child_of(folder, entry.name), {},
                                           std::min(kSampleFileBytesMax, left));
    MUSTER_CO_TRY(const std::string bytes, std::move(read));
    left -= bytes.size();
    MUSTER_CO_TRY_STATUS(files_.write(to.metrics() / entry.name, bytes, {.mode = 0600}));
  }
  co_return Status();
}

Status JobFetcher::close_here(const JobFolder& job, const job::Outcome& outcome) {
  MUSTER_TRY(const JobReading reading, read_job(files_, job, plan_of_));
  const job::State closed =
      eventlog::closed_state(reading.state(), outcome, reading.replayed.last_at);
  const std::string text =
      eventlog::summary_json(reading.replayed.machine.plan(), closed, status_context(job, reading));
  return files_.write(job.summary(), text, {.mode = 0600});
}

Status JobFetcher::close(const JobFolder& job, const job::Outcome& outcome) {
  MUSTER_TRY_STATUS(close_here(job, outcome));
  MUSTER_TRY(const std::string text, files_.read(job.summary()));
  MUSTER_TRY(const ApplicationFile application, session_.application_of(job));
  MUSTER_TRY(Session* const session, session_.open_for(application));
  hdfs::WriteFileOptions options;
  options.permission = kSummaryMode;
  // Without it other hosts find the end out themselves.
  (void)session_.run(
      session->files().write_whole(Staging::summary_file(application.folder), text, options));
  return {};
}

}  // namespace muster::cluster::yarn
