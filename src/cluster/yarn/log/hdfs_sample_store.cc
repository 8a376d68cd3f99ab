#include "cluster/yarn/log/hdfs_sample_store.h"

#include "hadoop/hdfs/names/path.h"
#include "rt/wait.h"

#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

constexpr uint32_t kSampleMode = 0600;
constexpr Duration kCompleteMax = std::chrono::seconds(5);

}  // namespace

HdfsSampleStore::HdfsSampleStore(rt::Loop& loop, hadoop::hdfs::FileSystem& files,
                                 std::string folder)
    : loop_(loop), files_(files), folder_(std::move(folder)) {}

HdfsSampleStore::~HdfsSampleStore() = default;

std::string HdfsSampleStore::path_of(const std::string& name) const {
  return hadoop::hdfs::child_of(folder_, name);
}

rt::Async<Result<std::vector<SampleStore::File>>> HdfsSampleStore::list() {
  auto listed = co_await files_.list(folder_);
  std::vector<File> found;
  if (!listed.has_value() && listed.error().code == Errc::NotFound) {
    co_return found;
  }
  MUSTER_CO_TRY(const std::vector<hadoop::hdfs::FileStatus> entries, std::move(listed));
  for (const hadoop::hdfs::FileStatus& entry : entries) {
    found.push_back({.name = entry.name, .size_bytes = entry.size_bytes});
  }
  co_return found;
}

rt::Async<Result<std::string>> HdfsSampleStore::read(std::string name) {
  co_return co_await files_.read_whole(path_of(name), {}, kSampleFileBytesMax);
}

rt::Async<Status> HdfsSampleStore::open(std::string name, Open* slot) {
  if (const std::unique_ptr<hadoop::hdfs::FileWriter> last = std::exchange(slot->writer, nullptr)) {
    // Everything in it was flushed: an error here loses nothing.
    (void)co_await rt::with_deadline(loop_, loop_.now() + kCompleteMax, "HDFS", last->close());
  }
  hadoop::hdfs::WriteFileOptions options;
  options.permission = kSampleMode;
  auto created = co_await files_.create(path_of(name), options);
  MUSTER_CO_TRY(slot->writer, std::move(created));
  slot->name = std::move(name);
  co_return Status();
}

rt::Async<Status> HdfsSampleStore::append(std::string name, std::string bytes) {
  Open& slot = open_[name.substr(0, name.find('-'))];
  if (slot.writer == nullptr || slot.name != name) {
    auto opened = co_await open(name, &slot);
    MUSTER_CO_TRY_STATUS(std::move(opened));
  }
  auto written = co_await slot.writer->write(bytes);
  MUSTER_CO_TRY_STATUS(std::move(written));
  auto flushed = co_await slot.writer->flush();
  co_return flushed;
}

rt::Async<Status> HdfsSampleStore::remove(std::string name) {
  auto removed = co_await files_.remove(path_of(name), false);
  MUSTER_CO_TRY([[maybe_unused]] const bool was_there, std::move(removed));
  co_return Status();
}

rt::Async<Status> HdfsSampleStore::close() {
  Status first;
  for (auto& [kind, slot] : open_) {
    if (slot.writer != nullptr) {
      Status closed = co_await rt::with_deadline(loop_, loop_.now() + kCompleteMax, "HDFS",
                                                 slot.writer->close());
      first = first ? std::move(closed) : first;
    }
  }
  open_.clear();
  co_return first;
}

}  // namespace muster::cluster::yarn
