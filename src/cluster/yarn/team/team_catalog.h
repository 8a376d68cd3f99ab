#pragma once

#include "base/time.h"
#include "cluster/team_jobs.h"
#include "hadoop/yarn/report.h"
#include "job/outcome.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {

/// Somebody's job, pieced together from what the resource manager and HDFS report.
struct CatalogJob {
  TeamJob job;
  std::string folder;          ///< In HDFS; "" before it has been found.
  std::string application_id;  ///< "" before it is known.
  bool planned = false;        ///< What it asked for has been read.
  bool live = false;           ///< The resource manager says that it has not ended.
  /// How it ended, according to the resource manager.
  std::optional<job::Outcome> outcome = std::nullopt;
  bool summarized = false;  ///< Its master's summary was read.
  int looks = 0;            ///< How often its folder was not found.
  HostTime hosts_read{};    ///< When its hosts were last read.
};

/// What a portal knows about the jobs of a cluster, and which it has to read next. Pure: the reader
/// passes in what it has read.
class TeamCatalog {
 public:
  /// `name`: the cluster's. `page_of` returns the link to an application's page.
  TeamCatalog(std::string name, std::function<std::string(std::string_view)> page_of)
      : name_(std::move(name)), page_of_(std::move(page_of)) {}

  /// Takes all applications that have not ended, as the resource manager lists them now; for jobs
  /// that have disappeared from the list, the end has to be read.
  void see_live(const std::vector<hadoop::yarn::ApplicationReport>& reports);
  /// Takes one that has ended.
  void see_ended(const hadoop::yarn::ApplicationReport& report);
  /// The job folders in one day's folder: (owner, id, last change). Those that have disappeared are
  /// forgotten.
  struct Place {
    std::string owner;
    std::string id;
    WallTime modified{};
  };
  void see_day(const std::string& day, const std::vector<Place>& places);
  /// A folder of a day is gone.
  void forget_day(const std::string& day) { see_day(day, {}); }
  /// Schedules jobs whose end is still unknown to be read again.
  void want_unended();

  /// Returns a job that has to be read, one of each owner in turn, the newest first; "" for none.
  /// It is not returned again until it is wanted again.
  [[nodiscard]] std::string take_wanted();
  void want(const std::string& key);
  [[nodiscard]] size_t wanted() const;

  /// Use the result at once: jobs come and go.
  [[nodiscard]] const CatalogJob* find(std::string_view key) const;
  void set_folder(std::string_view key, std::string folder);
  void note_vain_look(std::string_view key);
  void set_plan(std::string_view key, const eventlog::PlanFile& plan,
                const std::string& application_id);
  void set_summary(std::string_view key, const eventlog::Summary& summary);
  /// Returns the running job whose hosts have not been read for the longest time, and not within
  /// kHostsFresh; "" for none. It counts as read from then on.
  [[nodiscard]] std::string take_hosts_wanted(HostTime now);
  /// Sets a job's hosts; does nothing for a job that has ended.
  void set_hosts(std::string_view key, std::vector<eventlog::HostShare> hosts);
  /// The job has neither a summary nor an application.
  void set_lost(std::string_view key);

  /// Returns the jobs, newest first; how long running ones have run is as of `now`.
  [[nodiscard]] const std::vector<const TeamJob*>& sorted(WallTime now);

  /// A job's folder that is not found may be elsewhere.
  static constexpr int kLooksMax = 5;
  static constexpr Duration kHostsFresh = std::chrono::seconds(20);

 private:
  CatalogJob& entry(const std::string& owner, const std::string& id);
  CatalogJob* known(std::string_view key);
  CatalogJob* see(const hadoop::yarn::ApplicationReport& report);
  void end_by(CatalogJob& entry, const hadoop::yarn::ApplicationReport& report);

  std::string name_;
  std::function<std::string(std::string_view)> page_of_;
  std::map<std::string, CatalogJob, std::less<>> jobs_;  ///< By key.
  std::map<std::string, std::set<std::string>> by_day_;  ///< Keys, by the day's folder.
  /// Keys by time, by owner: one person's thousands of jobs do not hold up anybody else's.
  std::map<std::string, std::set<std::pair<WallTime, std::string>>> wanted_;
  std::set<std::string> served_;  ///< Owners who have had their turn.
  std::set<std::string> live_;    ///< Keys.
  std::vector<const TeamJob*> sorted_;
  bool changed_ = true;
};

}  // namespace muster::cluster::yarn
