#include "cluster/yarn/team/yarn_team_jobs.h"

#include "base/text.h"
#include "cluster/yarn/staging/job_directory.h"
#include "cluster/yarn/staging/staged_file.h"
#include "cluster/yarn/staging/staging.h"
#include "eventlog/log_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/reader.h"
#include "eventlog/segment_store.h"
#include "eventlog/summary.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rm = hadoop::yarn;

constexpr Duration kManagerPause = std::chrono::seconds(2);
constexpr Duration kFilesPause = std::chrono::seconds(30);
/// For a single look at the NameNode, which costs it one call.
constexpr Duration kFilesGlance = std::chrono::seconds(3);
constexpr Duration kAwayPause = std::chrono::seconds(2);
/// Between reading the logs of two running jobs: however many there are, they cost the cluster no
/// more.
constexpr Duration kHostsPause = std::chrono::milliseconds(500);
constexpr Duration kAnswerMax = std::chrono::seconds(15);
constexpr size_t kReaders = 16;
constexpr size_t kTeamTroublesMax = 20;
/// No file of a job that is read for the list may be longer: they are parsed on the loop.
constexpr uint64_t kTeamFileMax = 4U << 20;
constexpr std::chrono::hours kTeamDay{24};
/// That few jobs still to be read need not be mentioned.
constexpr size_t kFewWanted = 20;
constexpr Duration kCopyPause = std::chrono::milliseconds(50);
constexpr Duration kRoomMax = std::chrono::seconds(30);

constexpr std::array kLiveStates = {rm::ApplicationState::New, rm::ApplicationState::NewSaving,
                                    rm::ApplicationState::Submitted, rm::ApplicationState::Accepted,
                                    rm::ApplicationState::Running};

}  // namespace

Result<std::unique_ptr<TeamJobs>> YarnTeamJobs::open(rt::IoLoop& loop, os::Files& files,
                                                     Options options) {
  for (std::string& pattern : options.patterns) {
    if (!pattern.starts_with('/')) {
      return user_error(fmt::format("--homes must be an absolute path in HDFS, not `{}`", pattern));
    }
    while (pattern.size() > 1 && pattern.ends_with('/')) {
      pattern.pop_back();
    }
  }
  MUSTER_TRY(Site site, load_site(files, {.conf = options.client.conf,
                                          .environment = options.client.environment,
                                          .now = loop.wall_now()}));
  MUSTER_TRY(WebProxies proxies, web_proxies(site.configuration));
  auto quiet = std::make_unique<log::NullSink>();
  MUSTER_TRY(std::unique_ptr<Session> session,
             Session::open(loop, *quiet, std::move(site),
                           {.caller = "muster_portal", .patient = false, .on_wait = {}}));
  return std::unique_ptr<TeamJobs>(new YarnTeamJobs(
      loop, files, std::move(options), std::move(quiet), std::move(session), std::move(proxies)));
}

YarnTeamJobs::YarnTeamJobs(rt::IoLoop& loop, os::Files& files, Options options,
                           std::unique_ptr<log::NullSink> quiet, std::unique_ptr<Session> session,
                           WebProxies proxies)
    : loop_(loop),
      files_(files),
      options_(std::move(options)),
      quiet_(std::move(quiet)),
      session_(std::move(session)),
      catalog_(options_.name,
               [proxies = std::move(proxies)](std::string_view application) {
                 return proxies.page_of(application);
               }),
      sorted_(&catalog_.sorted(loop.wall_now())),
      wanted_(loop),
      days_({.loop = loop,
             .files = session_->files(),
             .catalog = catalog_,
             .trouble = [this](const Error& error) { trouble(error); },
             .found = [this] { wanted_.pulse(); }},
            options_.patterns),
      folders_(options_.scratch),
      scope_(loop) {
  scope_.spawn(follow_manager());
  scope_.spawn(follow_files());
  scope_.spawn(follow_hosts());
  for (size_t i = 0; i < kReaders; ++i) {
    scope_.spawn(read_wanted());
  }
}

const TeamJob* YarnTeamJobs::find(std::string_view key) const {
  const CatalogJob* const known = catalog_.find(key);
  return known == nullptr || known->job.state.empty() ? nullptr : &known->job;
}

std::string YarnTeamJobs::notice() const {
  std::string text;
  for (const Service* service : {&manager_, &hdfs_}) {
    if (service->away) {
      text +=
          fmt::format("{}{} of {} has not answered since {}, so this list may be out of date: {}",
                      text.empty() ? "" : "; ", service->name, options_.name,
                      format_iso(service->since), printable(service->why));
    }
  }
  if (text.empty() && (!days_.looked() || catalog_.wanted() > kFewWanted)) {
    text = days_.looked() ? fmt::format("{} more jobs are being read", catalog_.wanted())
                          : "still looking for jobs";
  }
  return text;
}

bool YarnTeamJobs::note(Service& service, const Status& done) {
  const bool away = !done && means_away(done.error());
  if (away) {
    service.since = service.away ? service.since : loop_.wall_now();
    service.why = done.error().message;
  }
  service.away = away;
  return !done && !away;
}

void YarnTeamJobs::trouble(const Error& error) {
  if (troubles_.size() < kTeamTroublesMax &&
      std::ranges::find(troubles_, error.message) == troubles_.end()) {
    troubles_.push_back(error.message);
  }
}

rt::Async<> YarnTeamJobs::follow_manager() {
  while (true) {
    auto asked = co_await ask_manager();
    if (note(manager_, asked)) {
      trouble(asked.error());
    }
    if (catalog_.wanted() > 0) {
      wanted_.pulse();
    }
    co_await rt::pause_for(loop_, kManagerPause);
  }
}

rt::Async<Status> YarnTeamJobs::ask_manager() {
  rm::ApplicationFilter live;
  live.tags = {std::string(kTag)};
  live.states.assign(kLiveStates.begin(), kLiveStates.end());
  auto listed = co_await session_->applications().applications(live, loop_.now() + kAnswerMax);
  MUSTER_CO_TRY(const std::vector<rm::ApplicationReport> running, std::move(listed));
  rm::ApplicationFilter ended;
  ended.tags = live.tags;
  ended.finished_since_ms = finished_ms_;
  auto more = co_await session_->applications().applications(ended, loop_.now() + kAnswerMax);
  MUSTER_CO_TRY(const std::vector<rm::ApplicationReport> over, std::move(more));
  for (const rm::ApplicationReport& report : over) {
    if (rm::is_over(report.state)) {
      catalog_.see_ended(report);
      finished_ms_ = std::max(finished_ms_, report.finished_ms);
    }
  }
  catalog_.see_live(running);
  co_return Status();
}

rt::Async<> YarnTeamJobs::follow_files() {
  HostTime next = loop_.now();
  while (true) {
    Status done;
    if (loop_.now() >= next || hdfs_.away) {
      done = co_await days_.look();
      next = loop_.now() + kFilesPause;
      catalog_.want_unended();
      wanted_.pulse();
    } else {
      done = co_await days_.glance();
    }
    if (note(hdfs_, done)) {
      trouble(done.error());
    }
    co_await rt::pause_for(loop_, kFilesGlance);
  }
}

rt::Async<> YarnTeamJobs::read_wanted() {
  while (true) {
    const std::string key = catalog_.take_wanted();
    if (key.empty()) {
      co_await wanted_.wait();
      continue;
    }
    auto read = co_await read_job(key);
    if (!read.has_value() && means_away(read.error())) {
      catalog_.want(key);
      note(hdfs_, read);
      co_await rt::pause_for(loop_, kAwayPause);
    } else if (!read.has_value()) {
      catalog_.note_vain_look(key);
      trouble(read.error());
    }
  }
}

rt::Async<Status> YarnTeamJobs::read_job(std::string key) {
  const CatalogJob* job = catalog_.find(key);
  if (job == nullptr) {
    co_return Status();
  }
  std::string folder = job->folder;
  if (folder.empty()) {
    auto found = co_await find_folder(*job);
    MUSTER_CO_TRY(folder, std::move(found));
    if (folder.empty()) {
      catalog_.note_vain_look(key);
      co_return Status();
    }
    catalog_.set_folder(key, folder);
  }
  job = catalog_.find(key);
  if (job != nullptr && !job->planned) {
    auto planned = co_await read_plan(key, folder);
    MUSTER_CO_TRY_STATUS(std::move(planned));
  }
  job = catalog_.find(key);
  if (job != nullptr && !job->live && !job->summarized) {
    auto ended = co_await read_end(key, folder);
    MUSTER_CO_TRY_STATUS(std::move(ended));
  }
  co_return Status();
}

/// Returns "" if none of the patterns has it. The client may have recorded the day before the
/// cluster's.
rt::Async<Result<std::string>> YarnTeamJobs::find_folder(CatalogJob job) {
  for (const std::string& pattern : options_.patterns) {
    std::string root = pattern;
    if (const size_t at = root.find(kTeamUser); at != std::string::npos) {
      root.replace(at, kTeamUser.size(), job.job.owner);
    }
    for (const WallTime day : {job.job.submitted, job.job.submitted - kTeamDay}) {
      std::string folder = folder_of_day(root, day) + "/" + job.job.id;
      auto asked = co_await session_->files().stat(folder);
      if (!asked.has_value() && asked.error().code == Errc::NotFound) {
        continue;
      }
      MUSTER_CO_TRY(const hdfs::FileStatus status, std::move(asked));
      if (status.owner == job.job.owner) {
        co_return folder;
      }
    }
  }
  co_return std::string();
}

rt::Async<Status> YarnTeamJobs::read_plan(std::string key, std::string folder) {
  auto read = co_await session_->files().read_whole(folder + "/" + std::string(kPackageName), {},
                                                    kTeamFileMax);
  if (!read.has_value() && read.error().code == Errc::NotFound) {
    // It is being submitted, or being removed.
    catalog_.note_vain_look(key);
    co_return Status();
  }
  MUSTER_CO_TRY(const std::string text, std::move(read));
  Result<JobPackage> package = decode_package(text);
  if (!package) {
    co_return std::move(package).error().within(folder);
  }
  Result<eventlog::PlanFile> plan = eventlog::parse_plan_file(package->plan_file);
  if (!plan) {
    co_return std::move(plan).error().within(folder);
  }
  catalog_.set_plan(key, *plan, package->application_id);
  co_return Status();
}

rt::Async<Status> YarnTeamJobs::read_end(std::string key, std::string folder) {
  auto read =
      co_await session_->files().read_whole(Staging::summary_file(folder), {}, kTeamFileMax);
  if (read.has_value()) {
    Result<eventlog::Summary> summary = eventlog::parse_summary(*read);
    if (!summary) {
      co_return std::move(summary).error().within(folder);
    }
    catalog_.set_summary(key, *summary);
    co_return Status();
  }
  if (read.error().code != Errc::NotFound) {
    co_return read.error();
  }
  const CatalogJob* const job = catalog_.find(key);
  if (job == nullptr || job->outcome) {
    co_return Status();
  }
  const Result<rm::ApplicationId> id = rm::parse_application_id(job->application_id);
  if (!id) {
    catalog_.set_lost(key);
    co_return Status();
  }
  auto asked = co_await session_->applications().report(*id, loop_.now() + kAnswerMax);
  if (asked.has_value() && rm::is_over(asked->state)) {
    catalog_.see_ended(*asked);
  } else if (!asked.has_value() && asked.error().code == Errc::NotFound) {
    catalog_.set_lost(key);
  } else if (!asked.has_value() && note(manager_, Status(asked.error()))) {
    co_return asked.error();
  }
  co_return Status();
}

rt::Async<> YarnTeamJobs::follow_hosts() {
  while (true) {
    const std::string key = hdfs_.away ? "" : catalog_.take_hosts_wanted(loop_.now());
    const CatalogJob* const job = catalog_.find(key);
    if (job != nullptr) {
      // A job that is about to begin has no log, and an unreachable cluster is asked again
      // elsewhere.
      (void)co_await read_hosts(key, job->folder);
    }
    co_await rt::pause_for(loop_, kHostsPause);
  }
}

rt::Async<Status> YarnTeamJobs::read_hosts(std::string key, std::string folder) {
  const std::string events = Staging::events_folder(folder);
  auto listed = co_await session_->files().list(events);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  std::vector<eventlog::Segment> segments;
  for (const hdfs::FileStatus& entry : entries) {
    if (!eventlog::parse_segment_name(entry.name)) {
      continue;
    }
    auto read = co_await session_->files().read_whole(hdfs::child_of(events, entry.name), {},
                                                      kTeamLogBytesMax);
    MUSTER_CO_TRY(const std::string bytes, std::move(read));
    Result<eventlog::Segment> segment = eventlog::read_segment(bytes);
    if (segment) {
      segments.push_back(*std::move(segment));
    }
  }
  if (segments.empty()) {
    co_return Status();
  }
  MUSTER_CO_TRY(const eventlog::Log log, eventlog::join_segments(std::move(segments)));
  MUSTER_CO_TRY(std::vector<eventlog::HostShare> hosts, hosts_so_far(log, options_.plan_of));
  catalog_.set_hosts(key, std::move(hosts));
  co_return Status();
}

/// Runs `work`, which copies an owner's data into its folder, off the loop, once it is its turn and
/// there is room. The waiting coroutine may be cancelled meanwhile; the work is still done, and
/// counted, to its end.
rt::Async<Status> YarnTeamJobs::copy(std::string owner, std::shared_ptr<TeamFolder> folder,
                                     std::function<Status()> work) {
  const HostTime patience_ends = loop_.now() + kRoomMax;
  std::shared_ptr<void> turn;
  while (turn == nullptr) {
    const bool has_room = folders_.disk_bytes() + share_max() <= options_.disk_max;
    if (!has_room && loop_.now() >= patience_ends) {
      co_return cluster_error(
          "the jobs that others are viewing fill the disk space that the portal may use (--disk); "
          "try again in a minute");
    }
    turn = has_room ? turns_.take(owner) : nullptr;
    if (turn == nullptr) {
      co_await rt::pause_for(loop_, kCopyPause);
    }
  }
  folder->reserve();
  const std::shared_ptr<void> room(folder.get(), [folder](void*) { folder->release(); });
  auto counted = [work = std::move(work), turn, room] { return work(); };
  auto done = co_await rt::run_blocking(loop_, std::move(counted));
  co_return done;
}

rt::Async<Result<TeamReading>> YarnTeamJobs::open(std::string key) {
  const CatalogJob* known = catalog_.find(key);
  if (known != nullptr && known->folder.empty()) {
    // The resource manager reported it a moment ago, and it waits for its turn to be read.
    auto read = co_await read_job(key);
    MUSTER_CO_TRY_STATUS(std::move(read));
    known = catalog_.find(key);
  }
  if (known == nullptr) {
    co_return user_error("no such job", Errc::NotFound);
  }
  if (known->folder.empty()) {
    co_return cluster_error("the job's folder is not in HDFS where this portal looks",
                            Errc::Unavailable);
  }
  const TeamFolder::Stand stand{.summarized = known->summarized, .outcome = known->outcome};
  const bool lost = known->job.state == "lost";
  std::shared_ptr<TeamFolder> folder = folders_.of(key, known->job.id,
                                                   {.files = &files_,
                                                    .client = options_.client,
                                                    .plan_of = options_.plan_of,
                                                    .owner = known->job.owner,
                                                    .hdfs_folder = known->folder,
                                                    .application_id = known->application_id,
                                                    .share_max = share_max()});
  const std::string owner = known->job.owner;
  std::function<Status()> bring = [folder, stand] { return folder->bring(stand); };
  auto brought = co_await copy(owner, folder, std::move(bring));
  MUSTER_CO_TRY_STATUS(std::move(brought));
  TeamReading reading{.folder = JobFolder(folder->path()),
                      .report = Running{},
                      .bring_output =
                          [this, owner, folder]() {
                            return copy(owner, folder, [folder] { return folder->bring_output(); });
                          },
                      .disk_bytes = [folder] { return folder->disk_bytes(); },
                      .kept = folder};
  if (stand.summarized || stand.outcome) {
    reading.report = Ended{};
  } else if (lost) {
    reading.report = Lost{};
  }
  co_return reading;
}

}  // namespace muster::cluster::yarn
