#include "cluster/folder_host_memory.h"

#include "rt/wait.h"

#include <memory>
#include <utility>

namespace muster::cluster {
namespace {

constexpr uint32_t kMode = 0600;

Status add_line(os::Files& files, const os::Path& path, const std::string& line) {
  const Result<os::FileStat> stat = files.stat(path);
  if (stat && stat->size_bytes > 2 * kHostMemoryKept) {
    // A line that another master adds meanwhile may be lost with the old ones.
    const uint64_t from = stat->size_bytes - kHostMemoryKept;
    MUSTER_TRY(const std::string tail, files.read_part(path, from, kHostMemoryKept));
    return files.write(path, std::string(newest_lines(tail, kHostMemoryKept - 1)) + line,
                       {.mode = kMode});
  }
  MUSTER_TRY(const std::unique_ptr<os::AppendFile> file, files.open_append(path, kMode));
  return file->append(line);
}

}  // namespace

std::string_view newest_lines(std::string_view lines, uint64_t bytes) {
  if (lines.size() <= bytes) {
    return lines;
  }
  const std::string_view tail = lines.substr(lines.size() - bytes - 1);
  const size_t end = tail.find('\n');
  return end == std::string_view::npos ? std::string_view() : tail.substr(end + 1);
}

FolderHostMemory::FolderHostMemory(rt::Loop& loop, os::Files& files, os::Path file)
    : loop_(loop), files_(files), file_(std::move(file)) {}

rt::Async<Status> FolderHostMemory::add(std::string line) {
  auto work = [files = &files_, path = file_, line = std::move(line)] {
    return add_line(*files, path, line);
  };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

Result<std::string> read_host_memory(os::Files& files, const os::Path& file) {
  Result<std::string> lines = files.read(file, kHostMemoryMax);
  if (!lines && lines.error().code == Errc::NotFound) {
    return std::string();
  }
  return lines;
}

}  // namespace muster::cluster
