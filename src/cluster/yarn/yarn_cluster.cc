#include "cluster/yarn/yarn_cluster.h"

#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/yarn/container_end.h"
#include "cluster/yarn/wait_reasons.h"
#include "cluster/yarn/web_proxy.h"
#include "eventlog/segment_store.h"
#include "hadoop/hdfs/path.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

/// How a client finds its jobs again; submitting is in yarn_submit.cc.
namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;
namespace hdfs = hadoop::hdfs;

constexpr Duration kCallMax = std::chrono::minutes(1);
constexpr Duration kLookPause = std::chrono::milliseconds(100);
constexpr Duration kHomeMax = std::chrono::seconds(20);
constexpr Duration kLateMax = std::chrono::seconds(3);
constexpr uint32_t kSummaryMode = 0600;
constexpr uint64_t kFileBytesMax = uint64_t{1} << 30;
constexpr uint64_t kApplicationBytesMax = 64U << 10;

std::string words_of(const rm::ApplicationReport& report) {
  std::string words =
      rm::is_over(report.state) ? words_of_end(report.diagnostics) : short_wait(report.diagnostics);
  return words.empty() ? "the cluster gives no reason" : words;
}

Result<MasterPlace> place_in(const rm::ApplicationReport& report) {
  const std::string id = to_string(report.id);
  if (rm::is_over(report.state)) {
    return Error{Errc::NotFound, Blame::Cluster,
                 fmt::format("{} is over ({}): {}", id, to_string(report.state), words_of(report))};
  }
  if (report.state != rm::ApplicationState::Running || report.rpc_port <= 0) {
    return Error{Errc::Unavailable, Blame::Cluster,
                 fmt::format("{} waits in queue {}: {}", id, report.queue, words_of(report))};
  }
  const net::HostPort address{.host = report.host, .port = static_cast<uint16_t>(report.rpc_port)};
  return MasterPlace{.address = net::to_string(address), .application_id = id};
}

/// Tells whether a master ever began the job's log.
rt::Async<Result<bool>> has_log(hdfs::FileSystem* files, std::string folder) {
  auto listed = co_await files->list(Staging::events_folder(folder));
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> segments, std::move(listed));
  co_return std::ranges::any_of(segments, [](const hdfs::FileStatus& segment) {
    return eventlog::parse_segment_name(segment.name).has_value();
  });
}

}  // namespace

HostTime YarnCluster::soon() const { return loop_.now() + kCallMax; }

Result<Session*> YarnCluster::session() {
  if (session_ == nullptr) {
    MUSTER_TRY(Site site, load_site(files_, {.conf = options_.conf,
                                             .environment = options_.environment,
                                             .now = loop_.wall_now()}));
    MUSTER_TRY(
        session_,
        Session::open(loop_, log_, std::move(site),
                      {.caller = "muster_client", .patient = false, .on_wait = options_.on_wait}));
  }
  return session_.get();
}

Result<Session*> YarnCluster::session_of(const ApplicationFile& application) {
  if (session_ == nullptr) {
    options_.conf = application.conf;
    if (!application.proxy_user.empty()) {
      options_.environment[std::string(kProxyVariable)] = application.proxy_user;
    }
  }
  Result<Session*> opened = session();
  if (!opened.has_value() && opened.error().code == Errc::NotFound) {
    // A configuration that is missing here says nothing of the job.
    Error error = std::move(opened).error();
    error.code = Errc::InvalidArgument;
    return error;
  }
  return opened;
}

Result<Session*> YarnCluster::session_of(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  return session_of(application);
}

Result<ApplicationFile> YarnCluster::application_of(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const std::string text,
             files_.read(JobFolder(job_folder).application(), kApplicationBytesMax));
  return parse_application_file(text);
}

Result<std::string> YarnCluster::page_of(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(const WebProxies proxies, web_proxies(session->site().configuration));
  return proxies.page_of(application.application_id);
}

Result<rm::ApplicationReport> YarnCluster::report_of(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  return run(session->applications().report(id, soon()));
}

Result<MasterPlace> YarnCluster::locate(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const rm::ApplicationReport report, report_of(job_folder));
  return place_in(report);
}

Result<MasterPlace> YarnCluster::await_master(
    const std::filesystem::path& job_folder,
    const std::function<bool(const std::string& why)>& waits) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  while (true) {
    MUSTER_TRY(const rm::ApplicationReport report, run(session->applications().report(id, soon())));
    Result<MasterPlace> place = place_in(report);
    const bool never_there = report.started_ms > 0 && report.rpc_port <= 0;
    if (rm::is_over(report.state) && never_there) {
      return cluster_error(fmt::format("the application {} ended before its master was there: {}",
                                       application.application_id, words_of(report)),
                           Errc::Other);
    }
    if (place.has_value() || place.error().code != Errc::Unavailable) {
      return place;
    }
    if (!waits(place.error().message)) {
      return Error{Errc::Cancelled, Blame::User, "nobody waits for the job's master any more"};
    }
    loop_.run_until(loop_.now() + kLookPause);
  }
}

Status YarnCluster::kill(const std::filesystem::path& job_folder, const std::string& why) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  return run(session->applications().kill(id, why, soon()));
}

Status YarnCluster::bring_home(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(const rm::ApplicationId id, rm::parse_application_id(application.application_id));
  HostTime deadline = loop_.now() + kHomeMax;
  while (true) {
    MUSTER_TRY(const bool whole, run(fetch(application.folder, job_folder)));
    if (whole) {
      return {};
    }
    // Without a log there was no master; one that its cluster has ended writes no longer.
    MUSTER_TRY(const bool begun, run(has_log(&session->files(), application.folder)));
    const auto report = run(session->applications().report(id, soon()));
    if (report.has_value() && rm::is_over(report->state)) {
      deadline = std::min(deadline, loop_.now() + kLateMax);
    }
    if (!begun || loop_.now() >= deadline) {
      return Error{Errc::NotFound, Blame::Cluster,
                   "the job's master has written no summary to " + application.folder};
    }
    loop_.run_until(loop_.now() + kLookPause);
  }
}

/// False while there is no summary, which is written last.
rt::Async<Result<bool>> YarnCluster::fetch(std::string folder, std::filesystem::path to) {
  hdfs::FileSystem& remote = session_->files();
  auto summary = co_await remote.read_whole(Staging::summary_file(folder), {}, kFileBytesMax);
  if (!summary.has_value() && summary.error().code == Errc::NotFound) {
    co_return false;
  }
  MUSTER_CO_TRY(const std::string summary_text, std::move(summary));
  auto fetched = co_await fetch_log(std::move(folder), to);
  MUSTER_CO_TRY_STATUS(std::move(fetched));
  MUSTER_CO_TRY_STATUS(files_.write(JobFolder(to).summary(), summary_text, {.mode = 0600}));
  co_return true;
}

rt::Async<Status> YarnCluster::fetch_log(std::string folder, std::filesystem::path to) {
  hdfs::FileSystem& remote = session_->files();
  const JobFolder home(to);
  auto listed = co_await remote.list(Staging::events_folder(folder));
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> segments, std::move(listed));
  for (const hdfs::FileStatus& segment : segments) {
    if (!eventlog::parse_segment_name(segment.name).has_value()) {
      continue;
    }
    auto read = co_await remote.read_whole(
        hdfs::child_of(Staging::events_folder(folder), segment.name), {}, kFileBytesMax);
    MUSTER_CO_TRY(const std::string bytes, std::move(read));
    MUSTER_CO_TRY_STATUS(files_.write(home.events() / segment.name, bytes, {.mode = 0600}));
  }
  co_return Status();
}

Status YarnCluster::bring_log(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session * session, session_of(application));
  (void)session;
  return run(fetch_log(application.folder, job_folder));
}

Status YarnCluster::publish_summary(const std::filesystem::path& job_folder) {
  MUSTER_TRY(const ApplicationFile application, application_of(job_folder));
  MUSTER_TRY(Session* const session, session_of(application));
  MUSTER_TRY(std::string text, files_.read(JobFolder(job_folder).summary()));
  hdfs::WriteFileOptions options;
  options.permission = kSummaryMode;
  return run(session->files().write_whole(Staging::summary_file(application.folder),
                                          std::move(text), options));
}

}  // namespace muster::cluster::yarn
