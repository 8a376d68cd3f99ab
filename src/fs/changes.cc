#include "base/text.h"
#include "fs/target.h"
#include "fs/verbs.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs_settings.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;
using hdfs::FileType;
using hdfs::Found;

constexpr uint32_t kTrashPermission = 0700;

/// Moves a path into the user's trash, where the cluster's own emptier removes it later.
rt::Async<Status> to_trash(Session* session, hdfs::FileSystem* fs, std::string path) {
  const std::string trash = hdfs::child_of(fs->home(), ".Trash/Current");
  const std::string folder = trash + std::string(hdfs::parent_of(path));
  MUSTER_CO_TRY_STATUS(co_await fs->make_folder(hdfs::normalize(folder), true, kTrashPermission));
  std::string target = trash + path;
  MUSTER_CO_TRY(const bool taken, co_await fs->exists(target));
  if (taken) {
    target += std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(
                                 session->loop().wall_now().time_since_epoch())
                                 .count());
  }
  hdfs::Rename rename{.from = path, .to = target};
  MUSTER_CO_TRY_STATUS(co_await fs->rename(std::move(rename)));
  session->terminal().err(
      fmt::format("moved {} to the trash: {}\n", printable(path), printable(target)));
  co_return Status();
}

rt::Async<Status> remove_one(Session* session, hdfs::FileSystem* fs, Found found) {
  if (found.status.type == FileType::Folder && !session->options().recursive) {
    co_return user_error(fmt::format("{} is a folder; use -r to remove it with everything in it",
                                     printable(found.path)));
  }
  if (found.path == "/") {
    co_return user_error("the root of HDFS cannot be removed");
  }
  MUSTER_CO_TRY(const hadoop::HdfsSettings settings,
                hadoop::hdfs_settings(session->configuration()));
  const std::string trash = hdfs::child_of(fs->home(), ".Trash");
  const bool in_trash = hdfs::is_within(found.path, trash) || hdfs::is_within(trash, found.path);
  if (settings.trash_interval > Duration::zero() && !session->options().skip_trash && !in_trash) {
    co_return co_await to_trash(session, fs, std::move(found.path));
  }
  MUSTER_CO_TRY_STATUS(co_await fs->remove(found.path, session->options().recursive));
  co_return Status();
}

rt::Async<Status> make_one(Session* session, Place place) {
  const bool parents = session->options().parents;
  if (!parents) {
    MUSTER_CO_TRY(const bool there, co_await place.fs->exists(place.path));
    if (there) {
      co_return user_error(fmt::format("{} already exists", printable(place.path)),
                           Errc::AlreadyExists);
    }
  }
  Status made = co_await place.fs->make_folder(place.path, parents);
  if (!made.has_value() && !parents && made.error().code == Errc::NotFound) {
    made.error().message += "; use -p to create the missing parents as well";
  }
  co_return made;
}

rt::Async<Status> move_one(const Target* target, Place from, Found found) {
  if (from.fs != target->place.fs) {
    co_return user_error(fmt::format("{} is in another file system; copy it with get and put",
                                     printable(found.path)));
  }
  std::string to = target->place.path;
  if (target->folder) {
    to = hdfs::child_of(to, hdfs::base_name(found.path));
  }
  hdfs::Rename rename{.from = std::move(found.path), .to = std::move(to)};
  co_return co_await from.fs->rename(std::move(rename));
}

}  // namespace

rt::Async<> rm(Session* session) {
  for (const std::string& argument : session->options().paths) {
    Result<Matches> matches = co_await find_matches(session, argument);
    if (!matches.has_value()) {
      if (matches.error().code != Errc::NotFound || !session->options().force) {
        session->fail(matches.error());
      }
      continue;
    }
    for (Found& found : matches->found) {
      const Status removed = co_await remove_one(session, matches->place.fs, std::move(found));
      if (!removed.has_value()) {
        session->fail(removed.error());
      }
    }
  }
}

rt::Async<> mkdir(Session* session) {
  for (const std::string& argument : session->options().paths) {
    Result<Place> place = session->place(argument);
    if (!place.has_value()) {
      session->fail(place.error());
      continue;
    }
    const Status made = co_await make_one(session, *std::move(place));
    if (!made.has_value()) {
      session->fail(made.error());
    }
  }
}

rt::Async<> mv(Session* session) {
  const Result<Target> target = co_await find_target(session, "moved", MissingFolder::Refused);
  if (!target.has_value()) {
    session->fail(target.error());
    co_return;
  }
  for (const std::string& argument : target->sources) {
    Result<Matches> matches = co_await find_matches(session, argument);
    if (!matches.has_value()) {
      session->fail(matches.error());
      continue;
    }
    if (matches->found.size() > 1 && !target->folder) {
      session->fail(user_error(fmt::format("{} matches {} paths, and several need a folder",
                                           printable(argument), matches->found.size())));
      continue;
    }
    for (Found& found : matches->found) {
      const Status moved = co_await move_one(&*target, matches->place, std::move(found));
      if (!moved.has_value()) {
        session->fail(moved.error());
      }
    }
  }
}

}  // namespace muster::fs
