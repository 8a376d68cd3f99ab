#include "cluster/yarn/hdfs_segment_store.h"

#include "hadoop/hdfs/path.h"

#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;

constexpr uint64_t kSegmentBytesMax = uint64_t{1} << 30;
constexpr uint32_t kFileMode = 0600;

}  // namespace

HdfsSegmentStore::HdfsSegmentStore(rt::Loop& loop, std::unique_ptr<hdfs::FileWriter> writer)
    : loop_(loop), writer_(std::move(writer)), scope_(loop) {}

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
  hdfs::WriteFileOptions options;
  options.permission = kFileMode;
  options.parents = false;
  auto created =
      co_await files->create(hdfs::child_of(folder, eventlog::segment_name(own)), options);
  MUSTER_CO_TRY(std::unique_ptr<hdfs::FileWriter> writer, std::move(created));
  std::unique_ptr<HdfsSegmentStore> store(new HdfsSegmentStore(*loop, std::move(writer)));
  store->own_ = own;
  for (const job::Epoch epoch : epochs) {
    auto text = co_await files->read_whole(hdfs::child_of(folder, eventlog::segment_name(epoch)),
                                           {}, kSegmentBytesMax);
    MUSTER_CO_TRY(store->earlier_[epoch], std::move(text));
  }
  co_return store;
}

Result<std::vector<job::Epoch>> HdfsSegmentStore::list() {
  std::vector<job::Epoch> epochs;
  for (const auto& [epoch, bytes] : earlier_) {
    epochs.push_back(epoch);
  }
  if (created_) {
    epochs.push_back(own_);
  }
  return epochs;
}

Status HdfsSegmentStore::create(job::Epoch epoch) {
  if (epoch != own_ || created_) {
    return Error{Errc::AlreadyExists, Blame::Cluster,
                 "another master of this job was quicker: segment " +
                     eventlog::segment_name(epoch) + " is not ours"};
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
    return std::string();  // Asked for at the start only, when nothing was written.
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
    if (state_.has_value()) {
      state_ = co_await write_and_flush(&batch);
    } else {
      co_await rt::next_turn(loop_);
    }
    for (const Append& append : batch) {
      append.done(state_);
    }
  }
  writing_ = false;
}

rt::Async<Status> HdfsSegmentStore::write_and_flush(const std::vector<Append>* batch) {
  for (const Append& append : *batch) {
    auto written = co_await writer_->write(append.bytes);
    MUSTER_CO_TRY_STATUS(std::move(written));
  }
  auto flushed = co_await writer_->flush();
  co_return flushed;
}

rt::Async<Status> HdfsSegmentStore::close() {
  co_await scope_.drained();
  MUSTER_CO_TRY_STATUS(state_);
  state_ = Error{Errc::Cancelled, Blame::Muster, "the log is closed"};
  auto closed = co_await writer_->close();
  co_return closed;
}

}  // namespace muster::cluster::yarn
