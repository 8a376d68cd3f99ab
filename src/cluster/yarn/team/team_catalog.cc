#include "cluster/yarn/team/team_catalog.h"

#include "base/text.h"
#include "cluster/yarn/client/application_end.h"
#include "cluster/yarn/link/container_end.h"
#include "cluster/yarn/staging/job_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace muster::cluster::yarn {
namespace {

namespace rm = hadoop::yarn;

/// A day's folder in HDFS is named after the day; a text from users becomes a local name.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && name != "." && name != ".." &&
         name.find('\0') == std::string_view::npos && name.size() < 256;
}

}  // namespace

CatalogJob& TeamCatalog::entry(const std::string& owner, const std::string& id) {
  const auto [found, is_new] = jobs_.try_emplace(owner + ":" + id);
  if (is_new) {
    found->second.job.owner = owner;
    found->second.job.id = id;
    found->second.job.on = name_;
    changed_ = true;
  }
  return found->second;
}

CatalogJob* TeamCatalog::known(std::string_view key) {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? nullptr : &found->second;
}

const CatalogJob* TeamCatalog::find(std::string_view key) const {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? nullptr : &found->second;
}

/// Notes what every report says; nullptr for an application that is not a Muster job.
CatalogJob* TeamCatalog::see(const rm::ApplicationReport& report) {
  const std::optional<KnownJob> told = job_of(report);
  if (!told || !is_plain(told->id) || !is_plain(report.user)) {
    return nullptr;
  }
  CatalogJob& seen = entry(report.user, told->id);
  seen.application_id = told->application_id;
  if (!seen.planned) {
    // Until it is known what the job itself says.
    seen.job.queue = told->queue;
    seen.job.submitted = told->submitted;
  }
  return &seen;
}

void TeamCatalog::see_live(const std::vector<rm::ApplicationReport>& reports) {
  std::set<std::string> live;
  for (const rm::ApplicationReport& report : reports) {
    if (rm::is_over(report.state)) {
      see_ended(report);
      continue;
    }
    CatalogJob* const seen = see(report);
    if (seen == nullptr || seen->summarized) {
      continue;
    }
    const std::string state = report.state == rm::ApplicationState::Running ? "running" : "queued";
    changed_ = changed_ || !seen->live || seen->job.state != state;
    seen->live = true;
    seen->job.state = state;
    seen->job.ended = false;
    seen->outcome.reset();
    seen->job.page = page_of_(seen->application_id);
    live.insert(seen->job.key());
    if (!seen->planned && seen->looks < kLooksMax) {
      want(seen->job.key());
    }
  }
  for (const std::string& key : live_) {
    CatalogJob* const gone = live.contains(key) ? nullptr : known(key);
    if (gone != nullptr && gone->live) {
      gone->live = false;
      want(key);
    }
  }
  live_ = std::move(live);
}

void TeamCatalog::see_ended(const rm::ApplicationReport& report) {
  CatalogJob* const seen = see(report);
  if (seen == nullptr || seen->summarized) {
    return;
  }
  const bool is_news = !seen->outcome;
  seen->live = false;
  end_by(*seen, report);
  if (is_news) {
    want(seen->job.key());
  }
}

void TeamCatalog::end_by(CatalogJob& entry, const rm::ApplicationReport& report) {
  const std::string words = words_of_end(report.diagnostics);
  entry.outcome = outcome_of(report, words.empty() ? std::string(to_string(report.state)) : words);
  entry.job.ended = true;
  entry.job.page.clear();
  entry.job.state = std::string(to_string(entry.outcome->result));
  entry.job.class_name = entry.outcome->class_name;
  if (report.finished_ms > 0) {
    const WallTime end{std::chrono::milliseconds(report.finished_ms)};
    entry.job.duration = std::max(Duration::zero(), end - entry.job.submitted);
  }
  changed_ = true;
}

void TeamCatalog::see_day(const std::string& day, const std::vector<Place>& places) {
  std::set<std::string> keys;
  for (const Place& place : places) {
    if (!is_plain(place.id) || !is_plain(place.owner)) {
      continue;
    }
    CatalogJob& seen = entry(place.owner, place.id);
    const std::string key = seen.job.key();
    keys.insert(key);
    if (seen.folder.empty()) {
      seen.folder = day + "/" + place.id;
      if (seen.job.submitted == WallTime{}) {
        seen.job.submitted = place.modified;
      }
      want(key);
    }
  }
  for (const std::string& key : by_day_[day]) {
    const CatalogJob* const gone = keys.contains(key) ? nullptr : find(key);
    if (gone != nullptr && !gone->live) {
      if (const auto of_owner = wanted_.find(gone->job.owner); of_owner != wanted_.end()) {
        of_owner->second.erase({gone->job.submitted, key});
      }
      jobs_.erase(key);
      changed_ = true;
    }
  }
  by_day_[day] = std::move(keys);
  if (by_day_[day].empty()) {
    by_day_.erase(day);
  }
}

void TeamCatalog::want_unended() {
  for (const auto& [key, entry] : jobs_) {
    if (entry.planned && !entry.live && !entry.job.ended && entry.job.state != "lost") {
      want(key);
    }
  }
}

void TeamCatalog::want(const std::string& key) {
  if (const CatalogJob* const job = find(key)) {
    wanted_[job->job.owner].emplace(job->job.submitted, key);
  }
}

std::string TeamCatalog::take_wanted() {
  std::erase_if(wanted_, [](const auto& of_owner) { return of_owner.second.empty(); });
  if (wanted_.empty()) {
    served_.clear();
    return "";
  }
  if (std::ranges::all_of(wanted_,
                          [&](const auto& of_owner) { return served_.contains(of_owner.first); })) {
    served_.clear();
  }
  auto next = wanted_.end();
  for (auto of_owner = wanted_.begin(); of_owner != wanted_.end(); ++of_owner) {
    if (!served_.contains(of_owner->first) &&
        (next == wanted_.end() || *of_owner->second.rbegin() > *next->second.rbegin())) {
      next = of_owner;
    }
  }
  served_.insert(next->first);
  const auto newest = std::prev(next->second.end());
  std::string key = newest->second;
  next->second.erase(newest);
  return key;
}

size_t TeamCatalog::wanted() const {
  size_t count = 0;
  for (const auto& [owner, keys] : wanted_) {
    count += keys.size();
  }
  return count;
}

void TeamCatalog::set_folder(std::string_view key, std::string folder) {
  if (CatalogJob* const job = known(key)) {
    job->folder = std::move(folder);
  }
}

void TeamCatalog::note_vain_look(std::string_view key) {
  if (CatalogJob* const job = known(key)) {
    ++job->looks;
  }
}

void TeamCatalog::set_plan(std::string_view key, const eventlog::PlanFile& plan,
                           const std::string& application_id) {
  CatalogJob* const job = known(key);
  if (job == nullptr) {
    return;
  }
  take_plan(plan, job->job);
  job->job.on = name_;
  job->planned = true;
  if (job->application_id.empty()) {
    job->application_id = application_id;
  }
  changed_ = true;
}

void TeamCatalog::set_summary(std::string_view key, const eventlog::Summary& summary) {
  CatalogJob* const job = known(key);
  if (job == nullptr) {
    return;
  }
  take_summary(summary, job->job);
  job->job.page.clear();
  job->live = false;
  job->summarized = true;
  changed_ = true;
}

std::string TeamCatalog::take_hosts_wanted(HostTime now) {
  CatalogJob* oldest = nullptr;
  for (const std::string& key : live_) {
    CatalogJob* const job = known(key);
    if (job != nullptr && job->live && job->planned && job->job.state == "running" &&
        !job->folder.empty() && (oldest == nullptr || job->hosts_read < oldest->hosts_read)) {
      oldest = job;
    }
  }
  if (oldest == nullptr ||
      (oldest->hosts_read != HostTime{} && now - oldest->hosts_read < kHostsFresh)) {
    return "";
  }
  oldest->hosts_read = now;
  return oldest->job.key();
}

void TeamCatalog::set_hosts(std::string_view key, std::vector<eventlog::HostShare> hosts) {
  CatalogJob* const job = known(key);
  if (job != nullptr && job->live) {
    job->job.hosts = std::move(hosts);
  }
}

void TeamCatalog::set_lost(std::string_view key) {
  CatalogJob* const job = known(key);
  if (job != nullptr && !job->live && !job->job.ended) {
    job->job.state = "lost";
    job->job.page.clear();
    changed_ = true;
  }
}

const std::vector<const TeamJob*>& TeamCatalog::sorted(WallTime now) {
  for (const std::string& key : live_) {
    if (CatalogJob* const job = known(key); job != nullptr && job->live) {
      job->job.duration = std::max(Duration::zero(), now - job->job.submitted);
    }
  }
  if (!std::exchange(changed_, false)) {
    return sorted_;
  }
  sorted_.clear();
  for (const auto& [key, entry] : jobs_) {
    // Of the others only the folder is known so far.
    if (!entry.job.state.empty()) {
      sorted_.push_back(&entry.job);
    }
  }
  std::ranges::sort(sorted_, [](const TeamJob* one, const TeamJob* other) {
    return std::tie(one->submitted, one->id) > std::tie(other->submitted, other->id);
  });
  return sorted_;
}

}  // namespace muster::cluster::yarn
