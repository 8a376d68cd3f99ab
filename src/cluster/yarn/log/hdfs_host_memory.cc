#include "cluster/yarn/log/hdfs_host_memory.h"

#include <utility>

namespace muster::cluster::yarn {
namespace {

constexpr uint32_t kMode = 0600;

}  // namespace

rt::Async<Status> HdfsHostMemory::add(std::string line) {
  auto read = co_await read_host_memory(&files_, path_);
  MUSTER_CO_TRY(const std::string lines, std::move(read));
  hadoop::hdfs::WriteFileOptions options;
  options.overwrite = true;
  options.permission = kMode;
  auto written = co_await files_.write_whole(
      path_, std::string(newest_lines(lines, kHostMemoryKept)) + line, options);
  co_return written;
}

rt::Async<Result<std::string>> read_host_memory(hadoop::hdfs::FileSystem* files, std::string path) {
  auto read = co_await files->read_whole(std::move(path), {}, kHostMemoryMax);
  if (!read.has_value() && read.error().code == Errc::NotFound) {
    co_return std::string();
  }
  co_return read;
}

}  // namespace muster::cluster::yarn
