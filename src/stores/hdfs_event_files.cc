#include "stores/hdfs_event_files.h"

#include "agent/checkpoint/checkpoint_names.h"
#include "fs/file_systems.h"
#include "hadoop/hdfs/blocks/transfer.h"
#include "hadoop/hdfs/names/path.h"
#include "hadoop/hdfs/names/remote_tree.h"
#include "rt/run_to_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace muster::stores {
namespace {

namespace hdfs = hadoop::hdfs;

Result<std::unique_ptr<fs::FileSystems>> open_hdfs(client::Session& session,
                                                   const std::string& conf) {
  return fs::FileSystems::open(
      {.files = *session.files,
       .environment = session.environment.all(),
       .now = session.now(),
       .conf = conf,
       .on_wait = [&session](std::string_view why) {
         session.console.status(why.empty() ? std::string() : fmt::format("waiting: {}", why));
       }});
}

Result<std::vector<std::string>> names_in(client::Session& session, const std::string& conf,
                                          const std::string& folder) {
  std::vector<std::string> names;
  if (!folder.starts_with("hdfs://")) {
    MUSTER_TRY(const std::vector<os::FolderEntry> entries, session.files->list(folder));
    for (const os::FolderEntry& entry : entries) {
      names.push_back(entry.name);
    }
    return names;
  }
  MUSTER_TRY(const std::unique_ptr<fs::FileSystems> opened, open_hdfs(session, conf));
  MUSTER_TRY(const fs::Place place, opened->place(folder));
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

rt::Async<Result<size_t>> copy_event_files(rt::Loop* loop, os::Files* files, const fs::Place* place,
                                           std::filesystem::path to) {
  MUSTER_CO_TRY(const std::vector<hdfs::Found> all,
                co_await hdfs::list_tree(place->fs, place->path));
  const size_t root = place->path == "/" ? 1 : place->path.size() + 1;
  size_t count = 0;
  for (const hdfs::Found& found : all) {
    if (found.status.type == hdfs::FileType::Folder ||
        !is_event_file(hdfs::base_name(found.path))) {
      continue;
    }
    ++count;
    const std::filesystem::path file = to / found.path.substr(root);
    const auto here = files->stat(file);
    if (here.has_value() && here->size_bytes == found.status.size_bytes) {
      continue;
    }
    MUSTER_CO_TRY_STATUS(files->make_folders(file.parent_path()));
    hdfs::GetOptions options;
    options.overwrite = true;
    MUSTER_CO_TRY_STATUS(co_await hdfs::get_file({.loop = *loop, .files = *files, .fs = *place->fs},
                                                 found.path, file, std::move(options)));
  }
  co_return count;
}

}  // namespace

Result<std::string> HdfsEventFiles::newest_checkpoint(const std::string& conf,
                                                      const std::string& to) {
  MUSTER_TRY(const std::vector<std::string> names, names_in(session_, conf, to));
  std::optional<uint64_t> newest;
  for (const std::string& name : names) {
    newest = std::max(newest, agent::parse_checkpoint_name(name));
  }
  return newest ? to + "/" + agent::checkpoint_name(*newest) : to;
}

Result<size_t> HdfsEventFiles::bring(const std::string& conf, const std::string& from,
                                     const std::filesystem::path& to) {
  MUSTER_TRY(const std::unique_ptr<fs::FileSystems> opened, open_hdfs(session_, conf));
  MUSTER_TRY(const fs::Place place, opened->place(from));
  return rt::run_to_end(opened->loop(),
                        copy_event_files(&opened->loop(), session_.files.get(), &place, to));
}

}  // namespace muster::stores
