#include "base/text.h"
#include "fs/copy.h"
#include "fs/lanes.h"
#include "fs/verbs.h"
#include "hadoop/hdfs/names/path.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace muster::fs {
namespace {

namespace hdfs = hadoop::hdfs;
using hdfs::FileType;
using hdfs::Found;

/// Where all the sources go.
struct LocalTarget {
  os::Path path;
  bool folder = false;  ///< Below it, under their own names.
};

/// Returns whether `path` is a folder now; links are followed.
rt::Async<bool> is_folder(Session* session, os::Path path) {
  auto work = [path = std::move(path)] {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  };
  co_return co_await rt::run_blocking(session->loop(), std::move(work));
}

rt::Async<Status> make_folder(Session* session, os::Path path) {
  auto work = [files = &session->files(), path = std::move(path)] {
    Status made = files->make_folders(path);
    if (!made.has_value() && files->exists(path)) {
      return Status(
          user_error(fmt::format("{} is a file here, not a folder", printable(path.string()))));
    }
    return made;
  };
  co_return co_await rt::run_blocking(session->loop(), std::move(work));
}

rt::Async<Result<LocalTarget>> find_local_target(Session* session, std::string argument,
                                                 bool several) {
  LocalTarget target{.path = argument};
  target.folder = co_await is_folder(session, target.path);
  if (!target.folder && argument.ends_with('/')) {
    MUSTER_CO_TRY_STATUS(co_await make_folder(session, target.path));
    target.folder = true;
  }
  if (!target.folder && several) {
    co_return user_error(
        fmt::format("{} is not a folder, and several files need one; append a / to create it",
                    printable(argument)));
  }
  co_return target;
}

/// One file of HDFS and where it goes.
struct Download {
  std::string from;
  os::Path to;
  uint64_t size_bytes = 0;

  [[nodiscard]] std::string name() const { return std::string(hdfs::base_name(from)); }
};

rt::Async<Status> get_one(Session* session, hdfs::FileSystem* fs, CopyProgress* progress,
                          Download item) {
  const Unfinished::Hold unfinished(session->unfinished(),
                                    {nullptr, hdfs::copying_name(item.to.string())});
  hdfs::GetOptions options;
  options.overwrite = session->options().force;
  options.moved = progress->moved();
  const hdfs::TransferDeps deps{.loop = session->loop(), .files = session->files(), .fs = *fs};
  co_return co_await hdfs::get_file(deps, std::move(item.from), std::move(item.to),
                                    std::move(options));
}

/// Copies a file, or a folder with everything below it, to `to`.
rt::Async<Status> get_tree(Session* session, hdfs::FileSystem* fs, CopyProgress* progress,
                           Found found, os::Path to) {
  std::vector<Download> items;
  if (found.status.type == FileType::Folder) {
    MUSTER_CO_TRY(const std::vector<Found> all, co_await hdfs::list_tree(fs, found.path));
    const size_t root = found.path == "/" ? 1 : found.path.size() + 1;
    MUSTER_CO_TRY_STATUS(co_await make_folder(session, to));
    for (const Found& each : all) {
      os::Path path = to / each.path.substr(root);
      if (each.status.type == FileType::Folder) {
        MUSTER_CO_TRY_STATUS(co_await make_folder(session, std::move(path)));
      } else {
        items.push_back({each.path, std::move(path), each.status.size_bytes});
      }
    }
  } else {
    items.push_back({found.path, std::move(to), found.status.size_bytes});
  }
  Lanes<Download> lanes(session->loop(), progress->begins(),
                        [session, fs, progress](Download item) {
                          return get_one(session, fs, progress, std::move(item));
                        });
  co_return co_await lanes.run(std::move(items));
}

rt::Async<Status> get_argument(Session* session, const LocalTarget* target, CopyProgress* progress,
                               std::string argument) {
  MUSTER_CO_TRY(Matches matches, co_await find_matches(session, argument));
  if (matches.found.size() > 1 && !target->folder) {
    co_return user_error(fmt::format("{} matches {} paths, and {} is not a folder",
                                     printable(argument), matches.found.size(),
                                     printable(target->path.string())));
  }
  for (Found& found : matches.found) {
    os::Path to = target->path;
    if (target->folder) {
      to /= std::string(hdfs::base_name(found.path));
    }
    MUSTER_CO_TRY_STATUS(
        co_await get_tree(session, matches.place.fs, progress, std::move(found), std::move(to)));
  }
  co_return Status();
}

}  // namespace

rt::Async<> get(Session* session) {
  std::vector<std::string> paths = session->options().paths;
  std::string last = ".";
  if (paths.size() > 1) {
    last = std::exchange(paths.back(), {});
    paths.pop_back();
  }
  if (last == "-") {
    co_return co_await cat_paths(session, std::move(paths));
  }
  const Result<LocalTarget> target = co_await find_local_target(session, last, paths.size() > 1);
  if (!target.has_value()) {
    session->fail(target.error());
    co_return;
  }
  CopyProgress progress(*session, "get");
  for (const std::string& argument : paths) {
    const Status got = co_await get_argument(session, &*target, &progress, argument);
    session->terminal().status("");
    if (!got.has_value()) {
      session->fail(got.error());
    }
  }
}

}  // namespace muster::fs
