#include "eventlog/local_segment_store.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace muster::eventlog {
namespace {

constexpr uint32_t kSegmentMode = 0600;
constexpr uint32_t kFolderMode = 0700;
/// Far above any real log; guards a reader's memory.
constexpr uint64_t kSegmentBytesMax = 4ULL << 30;

}  // namespace

LocalSegmentStore::LocalSegmentStore(rt::Loop* loop, os::Files& files, os::Path folder)
    : loop_(loop), files_(files), folder_(std::move(folder)) {}

Result<std::vector<job::Epoch>> LocalSegmentStore::list() {
  std::vector<job::Epoch> epochs;
  Result<std::vector<os::FolderEntry>> entries = files_.list(folder_);
  if (!entries && entries.error().code == Errc::NotFound) {
    return epochs;
  }
  if (!entries) {
    return std::move(entries).error();
  }
  for (const os::FolderEntry& entry : *entries) {
    if (const auto epoch = parse_segment_name(entry.name)) {
      epochs.push_back(*epoch);
    }
  }
  std::ranges::sort(epochs);
  return epochs;
}

Status LocalSegmentStore::create(job::Epoch epoch) {
  MUSTER_TRY_STATUS(files_.make_folders(folder_, kFolderMode));
  const os::Path path = folder_ / segment_name(epoch);
  MUSTER_TRY_STATUS(files_.create(path, "", {.mode = kSegmentMode, .durable = true}));
  MUSTER_TRY(file_, files_.open_append(path, kSegmentMode));
  return {};
}

void LocalSegmentStore::append(std::string bytes, std::function<void(Status)> done) {
  MUSTER_CHECK(loop_ != nullptr && file_ != nullptr, "a segment is created before it is written");
  loop_->post([status = file_->append(bytes), done = std::move(done)]() mutable {
    done(std::move(status));
  });
}

Result<std::string> LocalSegmentStore::read(job::Epoch epoch) {
  return files_.read(folder_ / segment_name(epoch), kSegmentBytesMax);
}

}  // namespace muster::eventlog
