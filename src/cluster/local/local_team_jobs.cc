#include "cluster/local/local_team_jobs.h"

#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/local/container_record.h"
#include "cluster/local/master_process.h"
#include "cluster/master_place_file.h"
#include "eventlog/local_segment_store.h"
#include "eventlog/plan_file.h"
#include "eventlog/reader.h"
#include "eventlog/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <tuple>
#include <utility>

namespace muster::cluster::local {
namespace {

constexpr std::string_view kUser = "{user}";
/// No file of a job that a portal reads for its list may be longer.
constexpr uint64_t kFileMax = 4U << 20;
constexpr size_t kTroublesMax = 20;
/// How much of a home one pass may read, and the first pass: some tenths of a second, and some
/// seconds.
constexpr uint64_t kHomeBytesMax = 32U << 20;
constexpr uint64_t kHomeBytesMaxFirst = 128U << 20;
constexpr size_t kJobsOfHomeMax = 100'000;
/// A growing log is read again after kHostsFresh for every kHostsFreshBytes of its size.
constexpr Duration kHostsFresh = std::chrono::seconds(2);
constexpr uint64_t kHostsFreshBytes = 256U << 10;

}  // namespace

LocalTeamJobs::LocalTeamJobs(std::string name, std::vector<std::string> patterns,
                             eventlog::PlanOf plan_of)
    : files_(os::make_foreign_files(&budget_)),
      name_(std::move(name)),
      patterns_(std::move(patterns)),
      plan_of_(std::move(plan_of)) {}

const TeamJob* LocalTeamJobs::find(std::string_view key) const {
  const auto known = by_key_.find(key);
  return known == by_key_.end() ? nullptr : &known->second->job;
}

void LocalTeamJobs::refresh(WallTime now) {
  if (now - refreshed_ < kFresh && now >= refreshed_ && refreshed_ != WallTime{}) {
    return;
  }
  const bool first = refreshed_ == WallTime{};
  refreshed_ = now;
  troubles_.clear();
  seen_.clear();
  const auto look = [&](const std::filesystem::path& home, const std::string& owner) {
    budget_.left_bytes = first ? kHomeBytesMaxFirst : kHomeBytesMax;
    look_into(home, owner, now);
    budget_ = {};
  };
  for (const std::string& pattern : patterns_) {
    const size_t at = pattern.find(kUser);
    std::error_code error;
    if (at == std::string::npos) {
      const auto home = std::filesystem::canonical(pattern, error);
      look(error ? std::filesystem::path(pattern) : home, "");
      continue;
    }
    const auto above = std::filesystem::canonical(pattern.substr(0, at), error);
    const Result<std::vector<os::FolderEntry>> users = files_->list(above);
    if (error || !users) {
      troubles_.push_back(error ? pattern.substr(0, at) + ": " + error.message()
                                : users.error().message);
      continue;
    }
    std::string below = pattern.substr(at + kUser.size());
    below.erase(0, below.find_first_not_of('/'));
    for (const os::FolderEntry& user : *users) {
      if (user.kind == os::FileKind::Folder) {
        look((above / user.name / below).lexically_normal(), user.name);
      }
    }
  }
  std::erase_if(by_folder_, [&](const auto& known) { return !seen_.contains(known.first); });
  by_key_.clear();
  sorted_.clear();
  for (const auto& [folder, known] : by_folder_) {
    if (by_key_.emplace(known.job.key(), &known).second) {
      sorted_.push_back(&known.job);
    }
  }
  std::ranges::sort(sorted_, [](const TeamJob* one, const TeamJob* other) {
    return std::tie(one->submitted, one->id) > std::tie(other->submitted, other->id);
  });
}

void LocalTeamJobs::look_into(const std::filesystem::path& home, const std::string& owner,
                              WallTime now) {
  Result<std::vector<os::FolderEntry>> folders = files_->list(home / "jobs");
  if (!folders) {
    if (folders.error().code != Errc::NotFound && troubles_.size() < kTroublesMax) {
      troubles_.push_back(folders.error().message);
    }
    return;
  }
  if (const auto from = rest_.extract(home)) {
    std::ranges::rotate(
        *folders, std::ranges::lower_bound(*folders, from.mapped(), {}, &os::FolderEntry::name));
  }
  size_t jobs = 0;
  for (size_t i = 0; i < folders->size(); ++i) {
    const os::FolderEntry& folder = (*folders)[i];
    if (folder.kind != os::FileKind::Folder) {
      continue;
    }
    const std::filesystem::path path = home / "jobs" / folder.name;
    if (budget_is_used_up() || jobs >= kJobsOfHomeMax) {
      if (by_folder_.contains(path)) {
        seen_.insert(path);
      }
    } else {
      look_at(path, owner, now);
      if (budget_is_used_up()) {
        rest_[home] = (*folders)[(i + 1) % folders->size()].name;
      }
    }
    jobs += seen_.contains(path) ? 1 : 0;
  }
}

void LocalTeamJobs::look_at(const std::filesystem::path& folder, const std::string& owner,
                            WallTime now) {
  auto known = by_folder_.find(folder);
  if (known == by_folder_.end()) {
    Result<TeamJob> job = read_new(folder, owner);
    if (!job) {
      // A folder without a plan is not yet, or no longer, that of a job.
      if (job.error().code != Errc::NotFound && !budget_is_used_up() &&
          troubles_.size() < kTroublesMax) {
        troubles_.push_back(job.error().message);
      }
      return;
    }
    known = by_folder_.emplace(folder, Known{*std::move(job), folder}).first;
  }
  seen_.insert(folder);
  if (!known->second.job.ended) {
    const Known before = known->second;
    read_state(known->second, now);
    if (budget_is_used_up()) {
      known->second = before;  // Some of it was not read.
    }
  }
}

Result<TeamJob> LocalTeamJobs::read_new(const std::filesystem::path& folder,
                                        const std::string& owner) {
  MUSTER_TRY(const std::string text, files_->read(JobFolder(folder).plan(), kFileMax));
  const Result<eventlog::PlanFile> plan = eventlog::parse_plan_file(text);
  if (!plan) {
    return Error(plan.error()).within(folder.string());
  }
  TeamJob job;
  job.id = folder.filename().string();
  job.owner = owner.empty() ? plan->user : owner;
  take_plan(*plan, job);
  if (job.on == name_) {
    job.queue.clear();  // Local jobs have none.
  }
  return job;
}

void LocalTeamJobs::read_state(Known& known, WallTime now) {
  TeamJob& job = known.job;
  const JobFolder folder(known.folder);
  if (read_end(known)) {
    return;
  }
  read_hosts(known, now);
  job.duration = std::max(Duration::zero(), now - job.submitted);
  job.state = "running";
  if (job.on != name_) {
    return;
  }
  const Result<std::string> place = files_->read(folder.master_place(), kMasterPlaceBytesMax);
  const Result<MasterPlaceFile> master =
      place ? parse_master_place(*place) : Result<MasterPlaceFile>(place.error());
  if (!master || is_master_of(*files_, master->pid, folder)) {
    return;
  }
  // The order matters: while any container of the job lives, its agents start another master, and a
  // job's last master leaves only after writing how the job ended.
  const bool goes_on = any_stub_lives(*files_, folder.containers());
  if (!read_end(known)) {
    job.state = goes_on ? "queued" : "lost";
  }
}

/// Returns whether the job says how it ended.
bool LocalTeamJobs::read_end(Known& known) {
  const Result<std::string> text = files_->read(JobFolder(known.folder).summary(), kFileMax);
  const Result<eventlog::Summary> summary =
      text ? eventlog::parse_summary(*text) : Result<eventlog::Summary>(text.error());
  if (summary) {
    take_summary(*summary, known.job);
  }
  return summary.has_value();
}

/// An unreadable log changes nothing: whoever opens the job is told why.
void LocalTeamJobs::read_hosts(Known& known, WallTime now) {
  const uint64_t bytes = log_bytes_of(*files_, JobFolder(known.folder));
  const Duration since = now - known.hosts_read;
  const auto pieces = static_cast<int64_t>(1 + bytes / kHostsFreshBytes);
  if (bytes == known.log_bytes || bytes > kTeamLogBytesMax ||
      (since >= Duration::zero() && since < pieces * kHostsFresh)) {
    return;
  }
  known.log_bytes = bytes;
  known.hosts_read = now;
  eventlog::LocalSegmentStore store(nullptr, *files_, JobFolder(known.folder).events());
  const Result<eventlog::Log> log = eventlog::read_log(store);
  Result<std::vector<eventlog::HostShare>> hosts =
      log ? hosts_so_far(*log, plan_of_) : Result<std::vector<eventlog::HostShare>>(log.error());
  if (hosts) {
    known.job.hosts = *std::move(hosts);
  }
}

rt::Async<Result<TeamReading>> LocalTeamJobs::open(std::string key) {
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) {
    co_return user_error("no such job", Errc::NotFound);
  }
  const Known& found = *known->second;
  if (const uint64_t bytes = log_bytes_of(*files_, JobFolder(found.folder));
      bytes > kTeamOpenLogBytesMax) {
    co_return user_error(
        fmt::format("{} cannot be shown here: its event log has {}, of which a portal reads {}",
                    found.job.id, format_bytes(bytes), format_bytes(kTeamOpenLogBytesMax)));
  }
  TeamReading reading{.folder = JobFolder(found.folder),
                      .report = Running{},
                      .bring_output = []() -> rt::Async<Status> { co_return Status(); }};
  if (found.job.ended) {
    reading.report = Ended{};
  } else if (found.job.state == "lost") {
    reading.report = Lost{};
  }
  co_return reading;
}

}  // namespace muster::cluster::local
