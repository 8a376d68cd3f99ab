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

/// A job of somebody's, put together from what the resource manager and HDFS tell of it.
struct CatalogJob {
  TeamJob job;
  std::string folder;          ///< In HDFS; "" before it has been found.
  std::string application_id;  ///< "" before it is known.
  bool planned = false;        ///< What it asked for has been read.
  bool live = false;           ///< The resource manager says that it has not ended.
  /// How it ended, as the resource manager tells it.
  std::optional<job::Outcome> outcome = std::nullopt;
  bool summarized = false;  ///< Its master's summary was read.
  int looks = 0;            ///< How often its folder was looked for in vain.
  HostTime hosts_read{};    ///< When the hosts that it runs on were last asked for.
};

/// What a portal knows of the jobs of a cluster, and which it has to read next. Pure: whoever reads
/// tells it.
class TeamCatalog {
 public:
  /// `name`: the cluster's. `page_of` an application: the link to its page.
  TeamCatalog(std::string name, std::function<std::string(std::string_view)> page_of)
      : name_(std::move(name)), page_of_(std::move(page_of)) {}

  /// All applications that have not ended, as the resource manager lists them now: of jobs that
  /// were there before, and are no longer, the end has to be read.
  void see_live(const std::vector<hadoop::yarn::ApplicationReport>& reports);
  /// One that has ended.
  void see_ended(const hadoop::yarn::ApplicationReport& report);
  /// The folders of jobs in one folder of a day: (owner, id, when it changed last). Those that were
  /// there and are no longer are forgotten.
  struct Place {
    std::string owner;
    std::string id;
    WallTime modified{};
  };
  void see_day(const std::string& day, const std::vector<Place>& places);
  /// A folder of a day is gone.
  void forget_day(const std::string& day) { see_day(day, {}); }
  /// Reads again those whose end nobody has told.
  void want_unended();

  /// A job that has to be read, one of each owner in turn, the newest first; "" for none. It is not
  /// returned again before it is wanted again.
  [[nodiscard]] std::string take_wanted();
  void want(const std::string& key);
  [[nodiscard]] size_t wanted() const;

  /// To be used at once: jobs come and go.
  [[nodiscard]] const CatalogJob* find(std::string_view key) const;
  void set_folder(std::string_view key, std::string folder);
  void note_vain_look(std::string_view key);
  void set_plan(std::string_view key, const eventlog::PlanFile& plan,
                const std::string& application_id);
  void set_summary(std::string_view key, const eventlog::Summary& summary);
  /// The running job whose hosts have not been read for the longest time, and not within
  /// kHostsFresh; "" for none. They count as read then.
  [[nodiscard]] std::string take_hosts_wanted(HostTime now);
  /// Those of one that has ended stay as they are.
  void set_hosts(std::string_view key, std::vector<eventlog::HostShare> hosts);
  /// It has neither a summary nor an application.
  void set_lost(std::string_view key);

  /// Newest first; how long running ones have run as of `now`.
  [[nodiscard]] const std::vector<const TeamJob*>& sorted(WallTime now);

  /// The folder of a job that is not found there may be elsewhere.
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
  /// Keys by time, by owner: somebody's thousands of jobs hold up nobody else's.
  std::map<std::string, std::set<std::pair<WallTime, std::string>>> wanted_;
  std::set<std::string> served_;  ///< Owners who have had their turn.
  std::set<std::string> live_;    ///< Keys.
  std::vector<const TeamJob*> sorted_;
  bool changed_ = true;
};

}  // namespace muster::cluster::yarn
