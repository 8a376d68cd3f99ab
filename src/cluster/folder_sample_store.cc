#include "cluster/folder_sample_store.h"

#include "rt/wait.h"

#include <memory>
#include <utility>

namespace muster::cluster {
namespace {

constexpr uint32_t kSampleFolderMode = 0700;
constexpr uint32_t kSampleFileMode = 0600;

using SampleFileList = std::vector<SampleStore::File>;

Result<SampleFileList> list_samples(os::Files& files, const os::Path& folder) {
  SampleFileList found;
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  if (!entries) {
    return entries.error().code == Errc::NotFound ? Result<SampleFileList>(std::move(found))
                                                  : entries.error();
  }
  for (const os::FolderEntry& entry : *entries) {
    const Result<os::FileStat> stat = files.stat(folder / entry.name);
    if (stat && stat->kind == os::FileKind::File) {
      found.push_back({.name = entry.name, .size_bytes = stat->size_bytes});
    }
  }
  return found;
}

Status append_samples(os::Files& files, const os::Path& folder, const std::string& name,
                      const std::string& bytes) {
  MUSTER_TRY_STATUS(files.make_folders(folder, kSampleFolderMode));
  MUSTER_TRY(const std::unique_ptr<os::AppendFile> file,
             files.open_append(folder / name, kSampleFileMode));
  return file->append(bytes);
}

}  // namespace

FolderSampleStore::FolderSampleStore(rt::Loop& loop, os::Files& files, os::Path folder)
    : loop_(loop), files_(files), folder_(std::move(folder)) {}

rt::Async<Result<std::vector<SampleStore::File>>> FolderSampleStore::list() {
  auto work = [files = &files_, folder = folder_] { return list_samples(*files, folder); };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

rt::Async<Result<std::string>> FolderSampleStore::read(std::string name) {
  auto work = [files = &files_, path = folder_ / name] {
    return files->read(path, kSampleFileBytesMax);
  };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

rt::Async<Status> FolderSampleStore::append(std::string name, std::string bytes) {
  auto work = [files = &files_, folder = folder_, name = std::move(name),
               bytes = std::move(bytes)] { return append_samples(*files, folder, name, bytes); };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

rt::Async<Status> FolderSampleStore::remove(std::string name) {
  auto work = [files = &files_, path = folder_ / name] { return files->remove(path); };
  co_return co_await rt::run_blocking(loop_, std::move(work));
}

rt::Async<Status> FolderSampleStore::close() { co_return Status(); }

}  // namespace muster::cluster
