#include "app/event_files.h"

#include "agent/checkpoint_names.h"
#include "app/fs_session.h"
#include "hadoop/hdfs/path.h"
#include "hadoop/hdfs/remote_tree.h"
#include "hadoop/hdfs/transfer.h"
#include "rt/run_to_end.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace muster::app {
namespace {

namespace hdfs = hadoop::hdfs;

Result<std::unique_ptr<FsSession>> open_hdfs(Session& session, const std::string& conf) {
  FsOptions options;
  options.conf = conf;
  return FsSession::open(session, options);
}

Result<std::vector<std::string>> names_in(Session& session, const std::string& conf,
                                          const std::string& folder) {
  std::vector<std::string> names;
  if (!folder.starts_with("hdfs://")) {
    MUSTER_TRY(const std::vector<os::FolderEntry> entries, session.files->list(folder));
    for (const os::FolderEntry& entry : entries) {
      names.push_back(entry.name);
    }
    return names;
  }
  MUSTER_TRY(const std::unique_ptr<FsSession> opened, open_hdfs(session, conf));
  MUSTER_TRY(const FsPlace place, opened->place(folder));
  MUSTER_TRY(const std::vector<hdfs::FileStatus> entries,
             rt::run_to_end(opened->loop(), place.fs->list(place.path)));
  for (const hdfs::FileStatus& entry : entries) {
    names.push_back(entry.name);
  }
  return names;
}

bool is_event_file(std::string_view name) {
  return name.find("tfevents") != std::string_view::npos;
}

rt::Async<Result<size_t>> bring(FsSession* fs, const FsPlace* place, std::filesystem::path to) {
  MUSTER_CO_TRY(const std::vector<hdfs::Found> all,
                co_await hdfs::list_tree(place->fs, place->path));
  const size_t root = place->path == "/" ? 1 : place->path.size() + 1;
  os::Files& files = *fs->session().files;
  size_t count = 0;
  for (const hdfs::Found& found : all) {
    if (found.status.type == hdfs::FileType::Folder ||
        !is_event_file(hdfs::base_name(found.path))) {
      continue;
    }
    ++count;
    const std::filesystem::path file = to / found.path.substr(root);
    const auto here = files.stat(file);
    if (here.has_value() && here->size_bytes == found.status.size_bytes) {
      continue;
    }
    MUSTER_CO_TRY_STATUS(files.make_folders(file.parent_path()));
    hdfs::GetOptions options;
    options.overwrite = true;
    MUSTER_CO_TRY_STATUS(
        co_await hdfs::get_file({.loop = fs->loop(), .files = files, .fs = *place->fs}, found.path,
                                file, std::move(options)));
  }
  co_return count;
}

}  // namespace

Result<std::string> newest_checkpoint(Session& session, const std::string& conf,
                                      const std::string& to) {
  MUSTER_TRY(const std::vector<std::string> names, names_in(session, conf, to));
  std::optional<uint64_t> newest;
  for (const std::string& name : names) {
    newest = std::max(newest, agent::parse_checkpoint_name(name));
  }
  return newest ? to + "/" + agent::checkpoint_name(*newest) : to;
}

Result<size_t> bring_event_files(Session& session, const std::string& conf, const std::string& from,
                                 const std::filesystem::path& to) {
  MUSTER_TRY(const std::unique_ptr<FsSession> opened, open_hdfs(session, conf));
  MUSTER_TRY(const FsPlace place, opened->place(from));
  return rt::run_to_end(opened->loop(), bring(opened.get(), &place, to));
}

}  // namespace muster::app
