#include "stores/hdfs_remote_files.h"

#include "fs/file_systems.h"
#include "hadoop/hdfs/blocks/transfer.h"
#include "rt/run_to_end.h"

#include <fmt/format.h>

#include <utility>

namespace muster::stores {
namespace {

namespace hdfs = hadoop::hdfs;

rt::Async<Result<std::string>> read_all(const fs::Place* place, std::string uri,
                                        uint64_t limit_bytes) {
  std::string text;
  auto sink = [&](std::string_view piece) -> rt::Async<Status> {
    if (text.size() + piece.size() > limit_bytes) {
      co_return user_error(fmt::format("{} is larger than {} bytes", uri, limit_bytes));
    }
    text += piece;
    co_return Status();
  };
  MUSTER_CO_TRY_STATUS(
      co_await hdfs::read_to(place->fs, place->path, hdfs::ByteRange{}, std::move(sink)));
  co_return text;
}

rt::Async<Result<std::vector<std::string>>> files_in(const fs::Place* place, std::string uri) {
  MUSTER_CO_TRY(const hdfs::FileStatus status, co_await place->fs->stat(place->path));
  if (status.type != hdfs::FileType::Folder) {
    co_return std::vector<std::string>{uri};
  }
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, co_await place->fs->list(place->path));
  std::vector<std::string> files;
  for (const hdfs::FileStatus& entry : entries) {
    if (entry.type == hdfs::FileType::File) {
      files.push_back(uri + (uri.ends_with('/') ? "" : "/") + entry.name);
    }
  }
  co_return files;
}

}  // namespace

Result<std::unique_ptr<fs::FileSystems>> HdfsRemoteFiles::open() {
  return fs::FileSystems::open({.files = *session_.files,
                                .environment = session_.environment.all(),
                                .now = session_.now(),
                                .conf = {},
                                .on_wait = {}});
}

Result<std::string> HdfsRemoteFiles::read(const std::string& uri, uint64_t limit_bytes) {
  MUSTER_TRY(const std::unique_ptr<fs::FileSystems> opened, open());
  MUSTER_TRY(const fs::Place place, opened->place(uri));
  return rt::run_to_end(opened->loop(), read_all(&place, uri, limit_bytes));
}

Result<std::vector<std::string>> HdfsRemoteFiles::files_at(const std::string& uri) {
  MUSTER_TRY(const std::unique_ptr<fs::FileSystems> opened, open());
  MUSTER_TRY(const fs::Place place, opened->place(uri));
  return rt::run_to_end(opened->loop(), files_in(&place, uri));
}

}  // namespace muster::stores
