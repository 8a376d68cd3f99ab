#include "app/fs_copy.h"
#include "app/fs_lanes.h"
#include "app/fs_verbs.h"
#include "base/text.h"
#include "hadoop/hdfs/path.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;
using hdfs::FileType;
using hdfs::Found;

/// Where all of the words go.
struct Target {
  os::Path path;
  bool folder = false;  ///< Below it, under their own names.
};

/// Returns whether `path` is a folder now; links are followed.
rt::Async<bool> is_folder(FsSession* session, os::Path path) {
  auto work = [path = std::move(path)] {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  };
  co_return co_await rt::run_blocking(session->loop(), std::move(work));
}

rt::Async<Status> make_folder(FsSession* session, os::Path path) {
  auto work = [files = session->session().files.get(), path = std::move(path)] {
    Status made = files->make_folders(path);
    if (!made.has_value() && files->exists(path)) {
      return Status(
          user_error(fmt::format("{} is a file here, not a folder", printable(path.string()))));
    }
    return made;
  };
  co_return co_await rt::run_blocking(session->loop(), std::move(work));
}

rt::Async<Result<Target>> find_target(FsSession* session, std::string word, bool several) {
  Target target{.path = word};
  target.folder = co_await is_folder(session, target.path);
  if (!target.folder && word.ends_with('/')) {
    MUSTER_CO_TRY_STATUS(co_await make_folder(session, target.path));
    target.folder = true;
  }
  if (!target.folder && several) {
    co_return user_error(
        fmt::format("{} is no folder, and several files need one; write a / at "
                    "its end to make it",
                    printable(word)));
  }
  co_return target;
}

/// One file of HDFS and where it goes.
struct Item {
  std::string from;
  os::Path to;
  uint64_t size_bytes = 0;

  [[nodiscard]] std::string name() const { return std::string(hdfs::base_name(from)); }
};

rt::Async<Status> get_one(FsSession* session, hdfs::FileSystem* fs, CopyProgress* progress,
                          Item item) {
  const FsUnfinished::Hold unfinished(session->unfinished(),
                                      {nullptr, hdfs::copying_name(item.to.string())});
  hdfs::GetOptions options;
  options.overwrite = session->options().force;
  options.moved = progress->moved();
  const hdfs::TransferDeps deps{
      .loop = session->loop(), .files = *session->session().files, .fs = *fs};
  co_return co_await hdfs::get_file(deps, std::move(item.from), std::move(item.to),
                                    std::move(options));
}

/// Copies a file, or a folder with all below it, to `to`.
rt::Async<Status> get_tree(FsSession* session, hdfs::FileSystem* fs, CopyProgress* progress,
                           Found found, os::Path to) {
  std::vector<Item> items;
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
  FsLanes<Item> lanes(session->loop(), *progress, [session, fs, progress](Item item) {
    return get_one(session, fs, progress, std::move(item));
  });
  co_return co_await lanes.run(std::move(items));
}

rt::Async<Status> get_word(FsSession* session, const Target* target, CopyProgress* progress,
                           std::string word) {
  MUSTER_CO_TRY(FsMatches matches, co_await fs_matches(session, word));
  if (matches.found.size() > 1 && !target->folder) {
    co_return user_error(fmt::format("{} matches {} paths, and {} is no folder", printable(word),
                                     matches.found.size(), printable(target->path.string())));
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

rt::Async<> fs_get(FsSession* session) {
  std::vector<std::string> words = session->options().paths;
  std::string last = ".";
  if (words.size() > 1) {
    last = std::exchange(words.back(), {});
    words.pop_back();
  }
  if (last == "-") {
    co_return co_await fs_cat_words(session, std::move(words));
  }
  const Result<Target> target = co_await find_target(session, last, words.size() > 1);
  if (!target.has_value()) {
    session->fail(target.error());
    co_return;
  }
  CopyProgress progress(*session, "get");
  for (const std::string& word : words) {
    const Status got = co_await get_word(session, &*target, &progress, word);
    session->session().console.status("");
    if (!got.has_value()) {
      session->fail(got.error());
    }
  }
}

}  // namespace muster::app
