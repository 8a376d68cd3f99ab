#pragma once

#include "base/result.h"
#include "cluster/yarn/team/team_catalog.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {

/// Stands for a user in the patterns of staging roots.
inline constexpr std::string_view kTeamUser = "{user}";

/// Returns whether an error means that the cluster does not answer, rather than that something is
/// wrong there.
[[nodiscard]] bool means_away(const Error& error);

/// Returns those names in a folder of years, months or days that are valid ones, the newest first,
/// at most `most`, so that nobody can make the portal go through millions.
[[nodiscard]] std::vector<std::string> day_names(std::vector<std::string> names, size_t digits,
                                                 size_t most);

/// The folders of all users' jobs in HDFS, by day of submission: tells the catalog which there are,
/// and lists a day again only when its folder has changed.
class TeamDays {
 public:
  struct Deps {
    rt::Loop& loop;
    hadoop::hdfs::FileSystem& files;
    TeamCatalog& catalog;
    /// A part could not be read; the rest was.
    std::function<void(const Error& error)> trouble;
    /// The catalog may have more to read.
    std::function<void()> found;
  };

  /// `patterns`: absolute paths of staging roots in HDFS, in which kTeamUser stands for any user.
  TeamDays(Deps deps, std::vector<std::string> patterns)
      : deps_(std::move(deps)), patterns_(std::move(patterns)) {}

  /// Looks through everything, the newest days first. Ends with an error only if means_away() holds
  /// for it.
  [[nodiscard]] rt::Async<Status> look();
  /// Only checks whether HDFS answers, which costs the NameNode one call.
  [[nodiscard]] rt::Async<Status> glance();
  /// Returns whether everything has been looked through once.
  [[nodiscard]] bool looked() const { return looked_; }

 private:
  struct Day {
    std::string folder;
    int64_t modified_ms = 0;
  };

  [[nodiscard]] rt::Async<Result<std::vector<std::string>>> roots();
  [[nodiscard]] rt::Async<Result<std::vector<Day>>> days_of(std::string root);
  [[nodiscard]] rt::Async<Status> look_at_day(Day day);

  Deps deps_;
  std::vector<std::string> patterns_;
  std::map<std::string, int64_t> days_;  ///< Last change, by folder.
  bool looked_ = false;
};

}  // namespace muster::cluster::yarn
