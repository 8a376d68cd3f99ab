#include "cluster/yarn/team/team_days.h"

#include "hadoop/hdfs/names/path.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr size_t kRootsAtOnce = 32;
constexpr Duration kGlanceMax = std::chrono::seconds(15);
/// For each home, the newest ones: more than ten years.
constexpr size_t kDaysOfHome = 4000;

bool is_digits(std::string_view name, size_t count) {
  return name.size() == count &&
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns "2026/11/21", by which days of several roots are ordered.
std::string_view day_in(std::string_view folder) {
  constexpr size_t kDayText = 10;
  return folder.substr(folder.size() - std::min(folder.size(), kDayText));
}

/// Returns what precedes and what follows {user}; the pattern itself and nullopt if it has none.
std::pair<std::string, std::optional<std::string>> parts_of(const std::string& pattern) {
  const size_t at = pattern.find(kTeamUser);
  if (at == std::string::npos) {
    return {pattern, std::nullopt};
  }
  std::string above = pattern.substr(0, at);
  while (above.size() > 1 && above.ends_with('/')) {
    above.pop_back();
  }
  return {above, pattern.substr(at + kTeamUser.size())};
}

}  // namespace

bool means_away(const Error& error) {
  return error.code == Errc::Unavailable || error.code == Errc::DeadlineExceeded ||
         error.code == Errc::Unauthenticated;
}

/// Returns the existing staging roots.
rt::Async<Result<std::vector<std::string>>> TeamDays::roots() {
  std::vector<std::string> roots;
  for (const std::string& pattern : patterns_) {
    const auto [above, below] = parts_of(pattern);
    if (!below) {
      roots.push_back(above);
      continue;
    }
    auto listed = co_await deps_.files.list(above);
    MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> users, std::move(listed));
    for (const hdfs::FileStatus& user : users) {
      if (user.type == hdfs::FileType::Folder) {
        roots.push_back(hdfs::child_of(above, user.name) + *below);
      }
    }
  }
  co_return roots;
}

std::vector<std::string> day_names(std::vector<std::string> names, size_t digits, size_t most) {
  std::erase_if(names, [&](const std::string& name) {
    return !is_digits(name, digits) || (digits == 4 ? name < "2000" || name > "2199" : name > "31");
  });
  std::ranges::sort(names, std::greater<>());
  names.resize(std::min(names.size(), most));
  return names;
}

rt::Async<Result<std::vector<TeamDays::Day>>> TeamDays::days_of(std::string root) {
  constexpr std::array<size_t, 3> kDigits = {4, 2, 2};
  std::vector<Day> folders = {{.folder = root + "/jobs"}};
  for (const size_t digits : kDigits) {
    std::vector<Day> below;
    for (const Day& folder : folders) {
      auto listed = co_await deps_.files.list(folder.folder);
      if (!listed.has_value() && listed.error().code == Errc::NotFound) {
        continue;
      }
      MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
      std::map<std::string, int64_t> modified;
      std::vector<std::string> names;
      for (const hdfs::FileStatus& entry : entries) {
        if (entry.type == hdfs::FileType::Folder) {
          modified[entry.name] = entry.modified_ms;
          names.push_back(entry.name);
        }
      }
      for (const std::string& name :
           day_names(std::move(names), digits, kDaysOfHome - std::min(kDaysOfHome, below.size()))) {
        below.push_back({hdfs::child_of(folder.folder, name), modified[name]});
      }
    }
    folders = std::move(below);
  }
  co_return folders;
}

rt::Async<Status> TeamDays::look() {
  auto found = co_await roots();
  MUSTER_CO_TRY(const std::vector<std::string> roots, std::move(found));
  std::vector<Day> days;
  std::set<std::string> unread;
  for (size_t begin = 0; begin < roots.size(); begin += kRootsAtOnce) {
    const size_t end = std::min(roots.size(), begin + kRootsAtOnce);
    std::vector<rt::Async<Result<std::vector<Day>>>> asked;
    for (size_t i = begin; i < end; ++i) {
      asked.push_back(days_of(roots[i]));
    }
    const auto answers = co_await rt::all(deps_.loop, std::move(asked));
    for (size_t i = begin; i < end; ++i) {
      const Result<std::vector<Day>>& answer = answers[i - begin];
      if (answer) {
        days.insert(days.end(), answer->begin(), answer->end());
        continue;
      }
      if (means_away(answer.error())) {
        co_return answer.error();
      }
      deps_.trouble(answer.error());
      unread.insert(roots[i] + "/jobs/");
    }
  }
  // People look at the newest jobs first.
  std::ranges::sort(days, [](const Day& one, const Day& other) {
    return day_in(one.folder) > day_in(other.folder);
  });
  std::set<std::string> there;
  for (const Day& day : days) {
    there.insert(day.folder);
    const auto known = days_.find(day.folder);
    if (known != days_.end() && known->second == day.modified_ms) {
      continue;
    }
    auto looked = co_await look_at_day(day);
    if (!looked.has_value() && means_away(looked.error())) {
      co_return looked.error();
    }
    if (!looked.has_value()) {
      deps_.trouble(looked.error());
    }
  }
  std::erase_if(days_, [&](const auto& known) {
    const bool is_unread = std::ranges::any_of(
        unread, [&](const std::string& root) { return known.first.starts_with(root); });
    if (is_unread || there.contains(known.first)) {
      return false;
    }
    deps_.catalog.forget_day(known.first);
    return true;
  });
  looked_ = true;
  co_return Status();
}

rt::Async<Status> TeamDays::look_at_day(Day day) {
  auto listed = co_await deps_.files.list(day.folder);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  std::vector<TeamCatalog::Place> places;
  for (const hdfs::FileStatus& entry : entries) {
    if (entry.type == hdfs::FileType::Folder) {
      // HDFS knows whose job it is: nobody can create a folder as somebody else.
      places.push_back({.owner = entry.owner,
                        .id = entry.name,
                        .modified = WallTime(std::chrono::milliseconds(entry.modified_ms))});
    }
  }
  deps_.catalog.see_day(day.folder, places);
  days_[day.folder] = day.modified_ms;
  deps_.found();
  co_return Status();
}

rt::Async<Status> TeamDays::glance() {
  auto place = parts_of(patterns_.front()).first;
  auto asked = deps_.files.exists(std::move(place));
  auto there = co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kGlanceMax,
                                          "the NameNode to answer", std::move(asked));
  co_return there ? Status() : Status(there.error());
}

}  // namespace muster::cluster::yarn
