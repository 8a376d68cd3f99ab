#include "cluster/yarn/log/hdfs_segment_store.h"

#include "hadoop/hdfs/names/path.h"
#include "rt/wait.h"

#include <chrono>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr uint64_t kSegmentBytesMax = uint64_t{1} << 30;
constexpr uint32_t kSegmentMode = 0600;
constexpr Duration kWriteMax = std::chrono::seconds(20);
constexpr Duration kAnewMax = std::chrono::minutes(1);

}  // namespace

HdfsSegmentStore::HdfsSegmentStore(rt::Loop& loop, hdfs::FileSystem& files, std::string folder)
    : loop_(loop), files_(files), folder_(std::move(folder)), scope_(loop) {}

HdfsSegmentStore::~HdfsSegmentStore() = default;

rt::Async<Result<std::unique_ptr<HdfsSegmentStore>>> HdfsSegmentStore::open(rt::Loop* loop,
                                                                            hdfs::FileSystem* files,
                                                                            std::string folder) {
  auto listed = co_await files->list(folder);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  std::vector<job::Epoch> epochs;
  for (const hdfs::FileStatus& entry : entries) {
    if (const auto epoch = eventlog::parse_segment_name(entry.name)) {
      epochs.push_back(*epoch);
    }
  }
  const job::Epoch own(epochs.empty() ? 1 : epochs.back().value + 1);
  std::unique_ptr<HdfsSegmentStore> store(new HdfsSegmentStore(*loop, *files, std::move(folder)));
  store->own_ = own;
  hdfs::WriteFileOptions options;
  options.permission = kSegmentMode;
  options.parents = false;
  auto created = co_await files->create(store->path_of(own), options);
  MUSTER_CO_TRY(store->writer_, std::move(created));
  for (const job::Epoch epoch : epochs) {
    auto text = co_await files->read_whole(store->path_of(epoch), {}, kSegmentBytesMax);
    MUSTER_CO_TRY(store->earlier_[epoch], std::move(text));
  }
  co_return store;
}

std::string HdfsSegmentStore::path_of(job::Epoch epoch) const {
  return hdfs::child_of(folder_, eventlog::segment_name(epoch));
}

Result<std::vector<job::Epoch>> HdfsSegmentStore::list() {
  std::vector<job::Epoch> epochs;
  for (const auto& [epoch, bytes] : earlier_) {
    epochs.push_back(epoch);
  }
  if (created_) {
    epochs.push_back(own_);
  }
  if (later_.has_value()) {
    epochs.push_back(*later_);
  }
  return epochs;
}

Status HdfsSegmentStore::create(job::Epoch epoch) {
  if (epoch != own_ || created_) {
    return Error{Errc::AlreadyExists, Blame::Cluster,
                 "another master of this job was faster: segment " + eventlog::segment_name(epoch) +
                     " is not ours"};
  }
  created_ = true;
  return {};
}

Result<std::string> HdfsSegmentStore::read(job::Epoch epoch) {
  const auto found = earlier_.find(epoch);
  if (found != earlier_.end()) {
    return found->second;
  }
  if (epoch == own_ && created_) {
    return std::string();  // Requested only at the start, when nothing has been written.
  }
  return Error{Errc::NotFound, Blame::Cluster,
               "the log has no segment " + eventlog::segment_name(epoch)};
}

void HdfsSegmentStore::append(std::string bytes, std::function<void(Status)> done) {
  queue_.push_back({std::move(bytes), std::move(done)});
  if (!writing_) {
    writing_ = true;
    scope_.spawn(write_queued());
  }
}

rt::Async<> HdfsSegmentStore::write_queued() {
  while (!queue_.empty()) {
    const std::vector<Append> batch = std::exchange(queue_, {});
    std::string bytes;
    for (const Append& append : batch) {
      bytes += append.bytes;
    }
    const Status written = co_await write(&bytes);
    for (const Append& append : batch) {
      append.done(written);
    }
  }
  writing_ = false;
}

rt::Async<Status> HdfsSegmentStore::write(const std::string* bytes) {
  if (closed_) {
    co_await rt::next_turn(loop_);
    co_return Error{Errc::Cancelled, Blame::Muster, "the log is closed"};
  }
  const bool anew = writer_ == nullptr;
  const HostTime latest = loop_.now() + (anew ? kAnewMax : kWriteMax);
  auto work = anew ? write_anew(bytes) : write_and_flush(bytes);
  auto written = co_await rt::with_deadline(loop_, latest, "HDFS", std::move(work));
  if (!written.has_value()) {
    writer_.reset();
    co_return std::move(written).error().within(files_.name());
  }
  confirmed_ += *bytes;
  co_return Status();
}

rt::Async<Status> HdfsSegmentStore::write_and_flush(const std::string* bytes) {
  auto written = co_await writer_->write(*bytes);
  MUSTER_CO_TRY_STATUS(std::move(written));
  auto flushed = co_await writer_->flush();
  co_return flushed;
}

rt::Async<Status> HdfsSegmentStore::write_anew(const std::string* bytes) {
  auto fenced = co_await refuse_if_fenced();
  MUSTER_CO_TRY_STATUS(std::move(fenced));
  hdfs::Rename rename{.from = path_of(own_) + ".again", .to = path_of(own_), .overwrite = true};
  hdfs::WriteFileOptions options;
  options.permission = kSegmentMode;
  options.parents = false;
  options.overwrite = true;
  auto created = co_await files_.create(rename.from, options);
  MUSTER_CO_TRY(writer_, std::move(created));
  auto prefix = co_await writer_->write(confirmed_);
  MUSTER_CO_TRY_STATUS(std::move(prefix));
  auto written = co_await write_and_flush(bytes);
  MUSTER_CO_TRY_STATUS(std::move(written));
  // The file stays open: HDFS knows open files by their numbers, not by their names.
  auto renamed = co_await files_.rename(std::move(rename));
  co_return renamed;
}

rt::Async<Status> HdfsSegmentStore::refuse_if_fenced() {
  auto listed = co_await files_.list(folder_);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  for (const hdfs::FileStatus& entry : entries) {
    const auto epoch = eventlog::parse_segment_name(entry.name);
    if (epoch.has_value() && *epoch > own_) {
      later_ = epoch;
    }
  }
  if (later_.has_value()) {
    co_return Error{Errc::AlreadyExists, Blame::Cluster,
                    "another master of this job is in charge: there is a segment " +
                        eventlog::segment_name(*later_)};
  }
  co_return Status();
}

rt::Async<Status> HdfsSegmentStore::close() {
  co_await scope_.drained();
  if (std::exchange(closed_, true)) {
    co_return Status();
  }
  if (writer_ == nullptr) {
    co_return Error{Errc::Unavailable, Blame::Cluster,
                    "the job's log in HDFS ends before the job: its last records were not taken"};
  }
  auto closed =
      co_await rt::with_deadline(loop_, loop_.now() + kWriteMax, "HDFS", writer_->close());
  co_return closed;
}

}  // namespace muster::cluster::yarn
