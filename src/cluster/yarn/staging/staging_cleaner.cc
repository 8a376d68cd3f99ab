#include "cluster/yarn/staging/staging_cleaner.h"

#include "cluster/yarn/staging/staged_file.h"
#include "cluster/yarn/staging/staging.h"
#include "cluster/yarn/staging/stored_name.h"
#include "eventlog/segment_store.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs/names/server_time.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

// For a job that the resource manager does not know yet.
constexpr std::chrono::hours kFresh{1};
// Nobody will finish an older upload.
constexpr std::chrono::hours kUploadMax{24};

}  // namespace

/// Returns whether a master that this cluster does not know may be at work: there is no summary
/// yet, and the last segment of the log is open. HDFS itself closes it when its writer is gone for
/// good.
Result<bool> StagingCleaner::is_written(const JobPlace& place) {
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const bool ended,
             session_.run(session->files().exists(Staging::summary_file(place.folder))));
  if (ended) {
    return false;
  }
  const std::string events = Staging::events_folder(place.folder);
  const Result<std::vector<hdfs::FileStatus>> listed = session_.run(session->files().list(events));
  if (!listed) {
    return listed.error().code == Errc::NotFound ? Result<bool>(false) : listed.error();
  }
  const auto last = std::ranges::find_if(listed->rbegin(), listed->rend(), [](const auto& entry) {
    return eventlog::parse_segment_name(entry.name).has_value();
  });
  if (last == listed->rend()) {
    return false;
  }
  MUSTER_TRY(const hdfs::LocatedBlocks blocks,
             session_.run(session->files().name_node().locate(hdfs::child_of(events, last->name), 0,
                                                              last->size_bytes + 1)));
  return blocks.unfinished.has_value();
}

/// Returns the jobs that are running or waiting, or have just been submitted.
Result<std::set<std::string>> StagingCleaner::living() {
  std::set<std::string> ids;
  MUSTER_TRY(const std::vector<KnownJob> known, directory_.known());
  for (const KnownJob& job : known) {
    (job.over ? ended_ : ids).insert(job.id);
  }
  MUSTER_TRY(const std::vector<JobPlace> places, directory_.places());
  for (const JobPlace& place : places) {
    if (ended_.contains(place.id) || ids.contains(place.id)) {
      continue;
    }
    const bool fresh = place.modified > now_ - kFresh;
    MUSTER_TRY(const bool written, fresh ? Result<bool>(true) : is_written(place));
    (written ? ids : ended_).insert(place.id);
  }
  return ids;
}

/// Returns the files of the store that these jobs name.
Result<std::set<std::string>> StagingCleaner::referenced(const std::set<std::string>& living) {
  std::set<std::string> names;
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const std::vector<JobPlace> places, directory_.places());
  for (const JobPlace& place : places) {
    if (!living.contains(place.id)) {
      continue;
    }
    const Result<std::string> text = session_.run(session->files().read_whole(
        place.folder + "/" + std::string(kPackageName), {}, kPackageBytesMax));
    if (!text && text.error().code == Errc::NotFound) {
      continue;  // It checks its files after naming them.
    }
    if (!text) {
      return text.error();
    }
    MUSTER_TRY(const JobPackage package, decode_package(*text));
    for (const StagedFile& file : package.files) {
      names.emplace(hdfs::base_name(file.file.from.path));
    }
  }
  return names;
}

Status StagingCleaner::clean_jobs(const StagingRules& rules) {
  MUSTER_TRY(const std::set<std::string> alive, living());
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(const std::vector<JobPlace> places, directory_.places());
  std::set<std::string> days;
  for (const JobPlace& place : places) {
    if (place.modified > now_ - rules.older_than || alive.contains(place.id)) {
      continue;
    }
    if (!rules.dry_run) {
      const Result<bool> removed = session_.run(session->files().remove(place.folder, true));
      if (!removed) {
        cleaned_.troubles.push_back(removed.error().message);
        continue;
      }
    }
    cleaned_.jobs.push_back(place.id);
    days.emplace(hdfs::parent_of(place.folder));
  }
  for (const std::string& day : rules.dry_run ? std::set<std::string>() : days) {
    // Refused while there is a job in it.
    (void)session_.run(session->files().remove(day, false));
  }
  return {};
}

Result<std::vector<StagingCleaner::Stored>> StagingCleaner::unused(const StagingRules& rules) {
  MUSTER_TRY(Session* const session, session_.open());
  const std::string store = root_ + "/store";
  Result<std::vector<hdfs::FileStatus>> listed = session_.run(session->files().list(store));
  if (!listed && listed.error().code == Errc::NotFound) {
    return std::vector<Stored>();
  }
  if (!listed) {
    return std::move(listed).error();
  }
  std::vector<Stored> files;
  for (const hdfs::FileStatus& entry : *listed) {
    const WallTime used = hdfs::wall_of(std::max(entry.accessed_ms, entry.modified_ms));
    const StoredKind kind = stored_kind(entry.name);
    if (kind == StoredKind::Whole && used < now_ - rules.older_than) {
      files.push_back({.name = entry.name, .bytes = entry.size_bytes, .used = used});
    }
    const bool left = kind == StoredKind::Unfinished || kind == StoredKind::Aside;
    if (left && !rules.dry_run && used < now_ - kUploadMax) {
      // By a client or a cleaner that was killed.
      (void)session_.run(session->files().remove(hdfs::child_of(store, entry.name), false));
    }
  }
  return files;
}

Status StagingCleaner::remove_unused(const Stored& file) {
  MUSTER_TRY(Session* const session, session_.open());
  const std::string path = root_ + "/store/" + file.name;
  const std::string aside = path + std::string(kAside);
  hdfs::Rename away{.from = path, .to = aside, .overwrite = true};
  if (const Status moved = session_.run(session->files().rename(away)); !moved) {
    return moved.error().code == Errc::NotFound ? Status() : moved;
  }
  // From here on a submission that needs the file uploads it again; one that found it before has
  // named it by now.
  MUSTER_TRY(const std::set<std::string> alive, living());
  MUSTER_TRY(const std::set<std::string> names, referenced(alive));
  MUSTER_TRY(const hdfs::FileStatus status, session_.run(session->files().stat(aside)));
  const bool touched = hdfs::wall_of(status.accessed_ms) > file.used;
  if (names.contains(file.name) || touched) {
    hdfs::Rename back{.from = aside, .to = path};
    const Status restored = session_.run(session->files().rename(back));
    if (restored || restored.error().code != Errc::AlreadyExists) {
      return restored;
    }
  }
  MUSTER_TRY(const bool removed, session_.run(session->files().remove(aside, false)));
  if (removed && !names.contains(file.name)) {
    cleaned_.files.push_back(file.name);
    cleaned_.freed_bytes += file.bytes;
  }
  return {};
}

Status StagingCleaner::clean_store(const StagingRules& rules) {
  MUSTER_TRY(const std::set<std::string> alive, living());
  MUSTER_TRY(const std::set<std::string> names, referenced(alive));
  MUSTER_TRY(const std::vector<Stored> files, unused(rules));
  for (const Stored& file : files) {
    if (names.contains(file.name)) {
      continue;
    }
    if (rules.dry_run) {
      cleaned_.files.push_back(file.name);
      cleaned_.freed_bytes += file.bytes;
      continue;
    }
    if (const Status removed = remove_unused(file); !removed) {
      cleaned_.troubles.push_back(removed.error().message);
    }
  }
  return {};
}

Result<StagingCleaned> StagingCleaner::clean(const StagingRules& rules) {
  MUSTER_TRY(Session* const session, session_.open());
  MUSTER_TRY(now_, session_.run(hdfs::server_time(&session->files().name_node(),
                                                  scratch_path(root_, session->random()))));
  MUSTER_TRY_STATUS(clean_jobs(rules));
  MUSTER_TRY_STATUS(clean_store(rules));
  return std::move(cleaned_);
}

}  // namespace muster::cluster::yarn
