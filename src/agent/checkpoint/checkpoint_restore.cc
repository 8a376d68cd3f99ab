#include "agent/checkpoint/checkpoint_restore.h"

#include "agent/checkpoint/checkpoint_folder_store.h"
#include "spec/check/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <ranges>

namespace muster::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kLockTries = 6000;
constexpr timespec kLockPause{0, 20'000'000};

/// Waits for the lock that keeps two agents of one host from restoring the same folder at once.
Result<std::unique_ptr<os::FileLock>> lock_place(os::Files& files, const CheckpointPlace& place) {
  const fs::path path = fs::path(place.state_file) += ".lock";
  MUSTER_TRY_STATUS(files.make_folders(path.parent_path()));
  for (int tries = 0; tries < kLockTries; ++tries) {
    auto lock = files.try_lock(path);
    if (lock.has_value() || lock.error().code != Errc::AlreadyExists) {
      return lock;
    }
    // lint: allow(sleep) a pool thread has no loop to wait on
    ::nanosleep(&kLockPause, nullptr);
  }
  return Error{Errc::DeadlineExceeded, Blame::Cluster,
               "timed out waiting for another agent of this host to restore the checkpoint: " +
                   place.folder.string()};
}

uint64_t noted_number(os::Files& files, const CheckpointPlace& place) {
  uint64_t number = 0;
  const auto text = files.read(place.state_file, 64);
  if (text.has_value()) {
    std::from_chars(text->data(), text->data() + text->size(), number);
  }
  return number;
}

/// Replaces the folder with `fresh` in two renames.
Status swap_in(os::Files& files, const fs::path& fresh, const fs::path& folder) {
  const fs::path old = fs::path(folder) += ".old";
  MUSTER_TRY_STATUS(files.remove_tree(old));
  if (files.exists(folder)) {
    MUSTER_TRY_STATUS(files.rename(folder, old));
  }
  MUSTER_TRY_STATUS(files.rename(fresh, folder));
  return files.remove_tree(old);
}

}  // namespace

Result<CheckpointPlace> checkpoint_place(const CheckpointSources& sources, const job::Plan& plan,
                                         job::TaskId task) {
  const spec::Checkpoint& settings = plan.spec.checkpoint;
  const bool each = settings.by == spec::CheckpointBy::Each;
  const std::string own = fmt::format("{}-{}", plan.role(task.role).name, task.index);
  CheckpointPlace place;
  place.owner = each || plan.chief == task;
  const fs::path& host = sources.host_folder;
  place.folder = each ? host / settings.dir / own : host / settings.dir;
  place.state_file = host / ".muster" / (each ? "checkpoint-" + own : std::string("checkpoint"));
  if (settings.to.empty()) {
    return place;
  }
  constexpr std::string_view kFile = "file://";
  const std::string to =
      settings.to.starts_with(kFile) ? settings.to.substr(kFile.size()) : settings.to;
  if (spec::is_uri(to) && sources.open) {
    MUSTER_TRY(place.store, sources.open(each ? to + "/" + own : to, sources.writer));
    return place;
  }
  if (spec::is_uri(to) || !fs::path(to).is_absolute()) {
    return Error{
        Errc::Unsupported, Blame::User,
        "checkpoint.to must be the absolute path of a local or shared folder, not " + settings.to};
  }
  const fs::path root = each ? fs::path(to) / own : fs::path(to);
  place.store = std::make_shared<CheckpointFolderStore>(sources.files, root, sources.writer);
  return place;
}

bool starts_anew(const job::Plan& plan, job::AttemptId attempt, const CheckpointPlace& place) {
  if (plan.spec.checkpoint.resume != spec::Resume::Never || attempt.number <= 1) {
    return false;
  }
  const job::RolePlan& role = plan.role(attempt.task.role);
  const bool gang_waits = plan.barrier == spec::Barrier::Gang &&
                          role.membership == spec::Membership::Static && role.after.empty();
  return place.owner || gang_waits;
}

Status clear_checkpoint(os::Files& files, const CheckpointPlace& place) {
  MUSTER_TRY(const std::unique_ptr<os::FileLock> lock, lock_place(files, place));
  MUSTER_TRY_STATUS(files.remove(place.state_file));
  MUSTER_TRY_STATUS(files.remove_tree(place.folder));
  return files.make_folders(place.folder);
}

Status note_checkpoint(os::Files& files, const CheckpointPlace& place, uint64_t number) {
  MUSTER_TRY_STATUS(files.make_folders(place.state_file.parent_path()));
  return files.write(place.state_file, std::to_string(number));
}

Result<std::optional<uint64_t>> restore_checkpoint(os::Files& files, const CheckpointPlace& place) {
  MUSTER_TRY(const std::unique_ptr<os::FileLock> lock, lock_place(files, place));
  MUSTER_TRY(const std::vector<uint64_t> numbers, place.store->list());
  const fs::path fresh = fs::path(place.folder) += ".restoring";
  for (const uint64_t number : std::views::reverse(numbers)) {
    if (!place.owner && noted_number(files, place) >= number) {
      return std::optional<uint64_t>();
    }
    MUSTER_TRY_STATUS(files.remove_tree(fresh));
    const Result<CheckpointManifest> fetched = place.store->fetch(number, fresh);
    if (fetched.has_value()) {
      MUSTER_TRY_STATUS(swap_in(files, fresh, place.folder));
      MUSTER_TRY_STATUS(note_checkpoint(files, place, number));
      return std::optional(number);
    }
    if (fetched.error().code != Errc::Corrupt && fetched.error().code != Errc::NotFound) {
      return fetched.error();
    }
  }
  return std::optional<uint64_t>();
}

}  // namespace muster::agent
