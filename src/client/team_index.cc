#include "client/team_index.h"

#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/master_place_file.h"
#include "eventlog/plan_file.h"
#include "eventlog/summary.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

namespace muster::client {
namespace {

namespace json = boost::json;

constexpr std::string_view kUser = "{user}";
/// No file of a job that a portal reads for its list is longer.
constexpr uint64_t kFileMax = 4U << 20;
constexpr size_t kTroublesMax = 20;

std::string text_at(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

/// What of a specification the list shows.
void take_spec(std::string_view spec, TeamJob& job) {
  boost::system::error_code error;
  const json::value value = json::parse(spec, error);
  if (error || !value.is_object()) {
    return;
  }
  job.name = text_at(value.get_object(), "name");
  const json::value* const yarn = value.get_object().if_contains("yarn");
  if (yarn == nullptr || !yarn->is_object()) {
    return;
  }
  job.queue = job.on == "local" ? "" : text_at(yarn->get_object(), "queue");
  const json::value* const viewers = yarn->get_object().if_contains("acl_view");
  if (viewers == nullptr || !viewers->is_array()) {
    return;
  }
  for (const json::value& viewer : viewers->get_array()) {
    if (viewer.is_string()) {
      job.viewers.emplace_back(viewer.get_string());
    }
  }
}

/// Whether a process of this machine is that job's master.
bool is_master(os::Files& files, int32_t pid, const std::filesystem::path& folder) {
  const Result<std::string> command = files.read(fmt::format("/proc/{}/cmdline", pid), kFileMax);
  return command && command->find(folder.filename().string()) != std::string::npos;
}

}  // namespace

bool may_see(std::string_view viewer, const std::set<std::string>& admins, const TeamJob& job) {
  if (viewer.empty()) {
    return false;
  }
  return viewer == job.owner || admins.contains(std::string(viewer)) ||
         std::ranges::any_of(job.viewers, [&](const std::string& named) {
           return named == "*" || named == viewer;
         });
}

TeamIndex::TeamIndex(os::Files& files, std::vector<std::string> patterns)
    : files_(files), patterns_(std::move(patterns)) {}

const TeamJob* TeamIndex::find(std::string_view key) const {
  const auto known = by_key_.find(key);
  return known == by_key_.end() ? nullptr : known->second;
}

void TeamIndex::refresh(WallTime now) {
  if (now - refreshed_ < kFresh && now >= refreshed_ && refreshed_ != WallTime{}) {
    return;
  }
  refreshed_ = now;
  troubles_.clear();
  seen_.clear();
  for (const std::string& pattern : patterns_) {
    const size_t at = pattern.find(kUser);
    std::error_code error;
    if (at == std::string::npos) {
      const auto home = std::filesystem::canonical(pattern, error);
      look_into(error ? std::filesystem::path(pattern) : home, "", now);
      continue;
    }
    const auto above = std::filesystem::canonical(pattern.substr(0, at), error);
    const Result<std::vector<os::FolderEntry>> users = files_.list(above);
    if (error || !users) {
      troubles_.push_back(error ? pattern.substr(0, at) + ": " + error.message()
                                : users.error().message);
      continue;
    }
    std::string below = pattern.substr(at + kUser.size());
    below.erase(0, below.find_first_not_of('/'));
    for (const os::FolderEntry& user : *users) {
      if (user.kind == os::FileKind::Folder) {
        look_into((above / user.name / below).lexically_normal(), user.name, now);
      }
    }
  }
  std::erase_if(by_folder_, [&](const auto& known) { return !seen_.contains(known.first); });
  by_key_.clear();
  sorted_.clear();
  for (const auto& [folder, job] : by_folder_) {
    if (by_key_.emplace(job.key(), &job).second) {
      sorted_.push_back(&job);
    }
  }
  std::ranges::sort(sorted_, [](const TeamJob* one, const TeamJob* other) {
    return std::tie(one->submitted, one->id) > std::tie(other->submitted, other->id);
  });
}

void TeamIndex::look_into(const std::filesystem::path& home, const std::string& owner,
                          WallTime now) {
  const Result<std::vector<os::FolderEntry>> folders = files_.list(home / "jobs");
  if (!folders) {
    if (folders.error().code != Errc::NotFound && troubles_.size() < kTroublesMax) {
      troubles_.push_back(folders.error().message);
    }
    return;
  }
  for (const os::FolderEntry& folder : *folders) {
    if (folder.kind == os::FileKind::Folder) {
      look_at(home / "jobs" / folder.name, owner, now);
    }
  }
}

void TeamIndex::look_at(const std::filesystem::path& folder, const std::string& owner,
                        WallTime now) {
  auto known = by_folder_.find(folder);
  if (known == by_folder_.end()) {
    Result<TeamJob> job = read_new(folder, owner);
    if (!job) {
      // A folder without a plan is none of a job yet, or no more.
      if (job.error().code != Errc::NotFound && troubles_.size() < kTroublesMax) {
        troubles_.push_back(job.error().message);
      }
      return;
    }
    known = by_folder_.emplace(folder, *std::move(job)).first;
  }
  seen_.insert(folder);
  if (!known->second.ended) {
    read_state(known->second, now);
  }
}

Result<TeamJob> TeamIndex::read_new(const std::filesystem::path& folder, const std::string& owner) {
  MUSTER_TRY(const std::string text, files_.read(cluster::JobFolder(folder).plan(), kFileMax));
  const Result<eventlog::PlanFile> plan = eventlog::parse_plan_file(text);
  if (!plan) {
    return Error(plan.error()).within(folder.string());
  }
  TeamJob job;
  job.id = folder.filename().string();
  job.owner = owner.empty() ? plan->user : owner;
  job.on = plan->on;
  job.submitted = plan->submitted;
  job.folder = folder;
  take_spec(plan->spec_json, job);
  return job;
}

void TeamIndex::read_state(TeamJob& job, WallTime now) {
  const cluster::JobFolder folder(job.folder);
  const Result<std::string> text = files_.read(folder.summary(), kFileMax);
  const Result<eventlog::Summary> summary =
      text ? eventlog::parse_summary(*text) : Result<eventlog::Summary>(text.error());
  if (summary) {
    job.ended = true;
    job.state = summary->result;
    job.class_name = summary->class_name;
    job.tasks = summary->tasks;
    job.duration = std::chrono::milliseconds(summary->duration_ms);
    return;
  }
  job.duration = std::max(Duration::zero(), now - job.submitted);
  job.state = "running";
  if (job.on != "local") {
    return;
  }
  const Result<std::string> place =
      files_.read(folder.master_place(), cluster::kMasterPlaceBytesMax);
  const Result<cluster::MasterPlaceFile> master =
      place ? cluster::parse_master_place(*place) : Result<cluster::MasterPlaceFile>(place.error());
  if (master && !is_master(files_, master->pid, job.folder)) {
    job.state = "lost";
  }
}

}  // namespace muster::client
