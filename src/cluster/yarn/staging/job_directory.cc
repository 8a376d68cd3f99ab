#include "cluster/yarn/staging/job_directory.h"

#include "base/text.h"
#include "cluster/job_folder.h"
#include "cluster/yarn/staging/staged_file.h"
#include "cluster/yarn/staging/staging.h"
#include "eventlog/plan_file.h"
#include "hadoop/hdfs/names/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rm = hadoop::yarn;

constexpr uint64_t kSmallBytesMax = 1U << 20;
constexpr std::chrono::hours kDay{24};

WallTime wall_of(int64_t milliseconds) { return WallTime(std::chrono::milliseconds(milliseconds)); }

bool is_number(std::string_view name, size_t digits) {
  return name.size() == digits &&
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

Error no_such_job(std::string_view id, const std::string& root) {
  return user_error(
      fmt::format(
          "no such job: {}; the resource manager does not know it, and it is not below {} in HDFS",
          printable(id), root),
      Errc::NotFound);
}

Error ambiguous(std::string_view id, const std::vector<KnownJob>& matches) {
  constexpr size_t kShown = 5;
  std::string names;
  for (size_t i = 0; i < std::min(matches.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + matches[i].id;
  }
  return user_error(
      fmt::format("{} jobs of the cluster start with \"{}\": {}{}; give more of the id",
                  matches.size(), printable(id), names, matches.size() > kShown ? ", ..." : ""));
}

/// The order in which the jobs of one day are listed.
bool precedes(const hdfs::FileStatus& one, const hdfs::FileStatus& other) {
  return one.modified_ms != other.modified_ms ? one.modified_ms > other.modified_ms
                                              : one.name < other.name;
}
bool comes_behind(const JobPlace& one, const JobPlace& other) {
  return one.modified != other.modified ? one.modified < other.modified : one.id > other.id;
}

}  // namespace

std::optional<KnownJob> job_of(const rm::ApplicationReport& report) {
  for (const std::string& tag : report.tags) {
    if (tag.starts_with(kJobTag)) {
      return KnownJob{
          .id = tag.substr(kJobTag.size()),
          .application_id = to_string(report.id),
          .folder = {},
          .submitted = wall_of(report.submitted_ms > 0 ? report.submitted_ms : report.started_ms),
          .queue = report.queue,
          .state = std::string(to_string(report.state)),
          .over = rm::is_over(report.state)};
    }
  }
  return std::nullopt;
}

Result<std::string> JobDirectory::root() {
  if (root_.empty()) {
    MUSTER_TRY(Session* const session, session_.open());
    root_ = session->files().home() + "/.muster";
  }
  return root_;
}

Result<std::vector<hdfs::FileStatus>> JobDirectory::list(const std::string& folder) {
  MUSTER_TRY(Session* const session, session_.open());
  Result<std::vector<hdfs::FileStatus>> listed = session_.run(session->files().list(folder));
  if (!listed && listed.error().code == Errc::NotFound) {
    return std::vector<hdfs::FileStatus>();
  }
  return listed;
}

/// Returns the folders of days, newest first.
Result<std::vector<std::string>> JobDirectory::days() {
  MUSTER_TRY(const std::string root, this->root());
  constexpr size_t kYearDigits = 4;
  constexpr size_t kOtherDigits = 2;
  std::vector<std::string> folders = {root + "/jobs"};
  for (const size_t digits : {kYearDigits, kOtherDigits, kOtherDigits}) {
    std::vector<std::string> below;
    for (const std::string& folder : folders) {
      MUSTER_TRY(const std::vector<hdfs::FileStatus> entries, list(folder));
      for (const hdfs::FileStatus& entry : entries) {
        if (entry.type == hdfs::FileType::Folder && is_number(entry.name, digits)) {
          below.push_back(hdfs::child_of(folder, entry.name));
        }
      }
    }
    folders = std::move(below);
  }
  std::ranges::sort(folders, std::greater());
  return folders;
}

Result<std::vector<KnownJob>> JobDirectory::known() {
  MUSTER_TRY(Session* const session, session_.open());
  rm::ApplicationFilter filter;
  filter.tags = {std::string(kTag)};
  filter.users = {session->site().identity.user};
  MUSTER_TRY(const std::vector<rm::ApplicationReport> reports,
             session_.run(session->applications().applications(filter, session_.soon())));
  std::vector<KnownJob> jobs;
  for (const rm::ApplicationReport& report : reports) {
    if (std::optional<KnownJob> job = job_of(report)) {
      jobs.push_back(*std::move(job));
    }
  }
  std::ranges::sort(jobs, [](const KnownJob& a, const KnownJob& b) {
    return a.submitted != b.submitted ? a.submitted > b.submitted : a.id < b.id;
  });
  return jobs;
}

Result<KnownJob> JobDirectory::find_application(const std::string& id) {
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const rm::ApplicationId application, rm::parse_application_id(id));
  MUSTER_TRY(const rm::ApplicationReport report,
             session_.run(session->applications().report(application, session_.soon())));
  if (std::optional<KnownJob> job = job_of(report)) {
    return *std::move(job);
  }
  return user_error(fmt::format("{} is not a Muster job: its type is {}", id, report.type),
                    Errc::NotFound);
}

Result<KnownJob> JobDirectory::find_in_files(const std::string& id) {
  MUSTER_TRY(const std::vector<std::string> folders, days());
  std::vector<KnownJob> matches;
  for (const std::string& day : folders) {
    MUSTER_TRY(std::vector<hdfs::FileStatus> entries, list(day));
    if (id == "last") {
      const auto newest = std::ranges::max_element(entries, {}, &hdfs::FileStatus::modified_ms);
      if (newest != entries.end()) {
        return KnownJob{.id = newest->name, .folder = hdfs::child_of(day, newest->name)};
      }
      continue;
    }
    for (const hdfs::FileStatus& entry : entries) {
      if (!entry.name.starts_with(id)) {
        continue;
      }
      KnownJob match{.id = entry.name, .folder = hdfs::child_of(day, entry.name)};
      if (entry.name == id) {
        return match;
      }
      matches.push_back(std::move(match));
    }
  }
  if (matches.size() == 1) {
    return std::move(matches.front());
  }
  if (matches.size() > 1) {
    return ambiguous(id, matches);
  }
  return no_such_job(id, root_);
}

Result<KnownJob> JobDirectory::find(const std::string& id) {
  if (id.starts_with("application_")) {
    return find_application(id);
  }
  MUSTER_TRY(const std::vector<KnownJob> jobs, known());
  std::vector<KnownJob> matches;
  for (const KnownJob& job : jobs) {
    if (job.id == id || id == "last") {
      return job;
    }
    if (job.id.starts_with(id)) {
      matches.push_back(job);
    }
  }
  if (matches.size() == 1) {
    return std::move(matches.front());
  }
  if (matches.size() > 1) {
    return ambiguous(id, matches);
  }
  return find_in_files(id);
}

/// The day recorded by the client can be the one before the cluster's.
Result<std::string> JobDirectory::folder_of(const KnownJob& job) {
  if (!job.folder.empty()) {
    return job.folder;
  }
  MUSTER_TRY(const std::string root, this->root());
  MUSTER_TRY(Session* const session, session_.open());
  for (const WallTime day : {job.submitted, job.submitted - kDay}) {
    std::string folder = folder_of_day(root, day) + "/" + job.id;
    MUSTER_TRY(const bool exists, session_.run(session->files().exists(folder)));
    if (exists) {
      return folder;
    }
  }
  MUSTER_TRY(const KnownJob found, find_in_files(job.id));
  return found.folder;
}

Result<std::vector<JobPlace>> JobDirectory::places() {
  MUSTER_TRY(const std::vector<std::string> folders, days());
  std::vector<JobPlace> places;
  for (const std::string& day : folders) {
    MUSTER_TRY(const std::vector<hdfs::FileStatus> entries, list(day));
    for (const hdfs::FileStatus& entry : entries) {
      places.push_back({.id = entry.name,
                        .folder = hdfs::child_of(day, entry.name),
                        .modified = wall_of(entry.modified_ms)});
    }
  }
  return places;
}

Result<std::vector<EndedJob>> JobDirectory::ended(uint32_t limit,
                                                  const std::optional<JobPlace>& after) {
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const std::vector<std::string> folders, days());
  const std::string begin = after ? std::string(hdfs::parent_of(after->folder)) : std::string();
  std::vector<EndedJob> jobs;
  for (const std::string& day : folders) {
    if (after && day > begin) {
      continue;
    }
    MUSTER_TRY(std::vector<hdfs::FileStatus> entries, list(day));
    // The last change in a job's folder is the arrival of its summary.
    std::ranges::sort(entries, precedes);
    for (const hdfs::FileStatus& entry : entries) {
      JobPlace place{.id = entry.name,
                     .folder = hdfs::child_of(day, entry.name),
                     .modified = wall_of(entry.modified_ms)};
      if (jobs.size() >= limit) {
        return jobs;
      }
      if (after && day == begin && !comes_behind(place, *after)) {
        continue;
      }
      Result<std::string> summary = session_.run(
          session->files().read_whole(Staging::summary_file(place.folder), {}, kSmallBytesMax));
      if (summary) {
        jobs.push_back({.place = std::move(place), .summary = *std::move(summary)});
      } else if (summary.error().code != Errc::NotFound) {
        return std::move(summary).error();
      }
    }
  }
  return jobs;
}

Result<std::filesystem::path> JobDirectory::adopt(const KnownJob& job,
                                                  const std::filesystem::path& jobs_folder,
                                                  const std::string& conf) {
  const JobFolder home(jobs_folder / job.id);
  if (files_.exists(home.plan())) {
    return home.root();
  }
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const std::string folder, folder_of(job));
  const auto read = [&](const std::string& path, uint64_t limit) {
    return session_.run(session->files().read_whole(path, {}, limit));
  };
  MUSTER_TRY(const std::string text,
             read(folder + "/" + std::string(kPackageName), kPackageBytesMax));
  MUSTER_TRY(const JobPackage package, decode_package(text));
  MUSTER_TRY(const eventlog::PlanFile plan, eventlog::parse_plan_file(package.plan_file));
  const ApplicationFile application{
      .application_id = job.application_id.empty() ? package.application_id : job.application_id,
      .conf = conf,
      .folder = folder};
  for (const std::filesystem::path& path : {home.root(), home.logs(), home.events()}) {
    MUSTER_TRY_STATUS(files_.make_folders(path, 0700));
  }
  // Removed at the job's end, when it is no longer needed.
  const Result<std::string> secret = read(Staging::secret_file(folder), kSmallBytesMax);
  if (secret) {
    MUSTER_TRY_STATUS(files_.write(home.secret(), *secret, {.mode = 0600}));
  } else if (secret.error().code != Errc::NotFound) {
    return secret.error();
  }
  MUSTER_TRY_STATUS(files_.write(home.application(), to_text(application), {.mode = 0600}));
  // Last: a folder counts as a job from the moment its plan is there.
  MUSTER_TRY_STATUS(files_.write(home.plan(), package.plan_file, {.mode = 0600}));
  std::error_code error;
  std::filesystem::last_write_time(
      home.plan(),
      std::filesystem::file_time_type::clock::from_sys(
          // Its client's clock may be ahead: a later job from this host must still count as the
          // last one.
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(
              std::min(plan.submitted, session->loop().wall_now()))),
      error);
  return home.root();
}

}  // namespace muster::cluster::yarn
