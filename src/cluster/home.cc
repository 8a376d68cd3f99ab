#include "cluster/home.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace muster::cluster {
namespace fs = std::filesystem;
namespace {

std::optional<JobEntry> entry_of(const fs::path& path) {
  std::error_code error;
  JobFolder folder(path);
  const auto written = fs::last_write_time(folder.plan(), error);
  if (error) {
    return std::nullopt;
  }
  const auto wall =
      std::chrono::time_point_cast<Duration>(std::chrono::file_clock::to_sys(written));
  const bool ended = fs::exists(folder.summary(), error);
  return JobEntry{std::move(folder), wall, ended};
}

Error ambiguous(std::string_view id, const std::vector<JobEntry>& matches) {
  constexpr size_t kShown = 5;
  std::string names;
  for (size_t i = 0; i < std::min(matches.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + matches[i].folder.id().value;
  }
  if (matches.size() > kShown) {
    names += fmt::format(", and {} more", matches.size() - kShown);
  }
  return user_error(fmt::format("{} jobs start with \"{}\": {}; give more of the id",
                                matches.size(), printable(id), names));
}

}  // namespace

Result<std::vector<JobEntry>> Home::jobs() const {
  std::vector<JobEntry> entries;
  std::error_code error;
  fs::directory_iterator it(jobs_folder(), error);
  if (error == std::errc::no_such_file_or_directory) {
    return entries;
  }
  if (error) {
    return system_error(error.value(), "cannot list " + jobs_folder().string());
  }
  for (const fs::directory_entry& child : it) {
    if (std::optional<JobEntry> entry = entry_of(child.path())) {
      entries.push_back(std::move(*entry));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const JobEntry& a, const JobEntry& b) {
    return a.submitted != b.submitted ? a.submitted > b.submitted : a.folder.id() < b.folder.id();
  });
  return entries;
}

Result<JobEntry> Home::find(std::string_view id) const {
  // The exact name needs no listing: a home with ten thousand jobs answers as quickly as an empty
  // one.
  if (!id.empty() && id != "last" && id.find('/') == std::string_view::npos && id[0] != '.') {
    if (std::optional<JobEntry> exact = entry_of(jobs_folder() / std::string(id))) {
      return std::move(*exact);
    }
  }
  MUSTER_TRY(std::vector<JobEntry> all, jobs());
  if (all.empty()) {
    return user_error(fmt::format("no such job: {}; there are none in {} yet", printable(id),
                                  jobs_folder().string()),
                      Errc::NotFound);
  }
  if (id == "last") {
    return std::move(all.front());
  }
  std::vector<JobEntry> matches;
  std::vector<std::string> names;
  for (const JobEntry& entry : all) {
    names.push_back(entry.folder.id().value);
    if (!id.empty() && names.back().starts_with(id)) {
      matches.push_back(entry);
    }
  }
  if (matches.size() == 1) {
    return std::move(matches.front());
  }
  if (matches.size() > 1) {
    return ambiguous(id, matches);
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  std::string message = fmt::format("no such job: {}", printable(id));
  if (const auto near = nearest(id, candidates)) {
    message += fmt::format("; did you mean {}?", *near);
  } else {
    message += "; `muster ps --all` lists them";
  }
  return user_error(std::move(message), Errc::NotFound);
}

}  // namespace muster::cluster
