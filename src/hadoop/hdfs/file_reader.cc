#include "hadoop/hdfs/file_reader.h"

#include "base/text.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::hadoop::hdfs {

rt::Async<Result<std::unique_ptr<FileReader>>> FileReader::open(FileDeps deps, std::string path,
                                                                ByteRange range,
                                                                ReaderOptions options) {
  std::unique_ptr<FileReader> reader(new FileReader(deps, std::move(path), options));
  MUSTER_CO_TRY_STATUS(co_await reader->locate(range.offset));
  MUSTER_CO_TRY_STATUS(co_await reader->find_length());
  reader->position_ = std::min(range.offset, reader->file_bytes_);
  reader->end_ =
      reader->position_ + std::min(range.length, reader->file_bytes_ - reader->position_);
  co_return reader;
}

rt::Async<Status> FileReader::locate(uint64_t offset) {
  MUSTER_CO_TRY(LocatedBlocks located,
                co_await deps_.name_node.locate(path_, offset, options_.window_bytes));
  if (!located.erasure_coding.empty()) {
    co_return user_error(
        fmt::format("{} is erasure-coded ({}), which Muster cannot read; copy it to a folder with "
                    "replication first: hdfs ec -setPolicy -replicate -path FOLDER",
                    printable(path_), printable(located.erasure_coding)),
        Errc::Unsupported);
  }
  if (located.encrypted) {
    co_return user_error(
        fmt::format("{} is in an encryption zone, which Muster cannot read; copy it out with "
                    "Hadoop's own tools: hadoop fs -cp",
                    printable(path_)),
        Errc::Unsupported);
  }
  blocks_ = std::move(located.blocks);
  if (located.unfinished.has_value()) {
    // Its size is filled in by find_length(); later windows keep what was visible at the start.
    located.unfinished->block.size_bytes =
        file_bytes_ > located.file_bytes ? file_bytes_ - located.file_bytes : 0;
    blocks_.push_back(*std::move(located.unfinished));
  }
  file_bytes_ = std::max(file_bytes_, located.file_bytes);
  co_return Status();
}

rt::Async<Status> FileReader::find_length() {
  // The last block, if it is being written, begins where the file ends according to the NameNode.
  if (blocks_.empty() || blocks_.back().offset < file_bytes_) {
    co_return Status();
  }
  LocatedBlock& last = blocks_.back();
  if (last.replicas.empty()) {
    co_return Status();  // No node has reported it: its writer has just begun.
  }
  MUSTER_CO_TRY(last.block.size_bytes, co_await deps_.data_nodes.visible_length(last));
  file_bytes_ = last.offset + last.block.size_bytes;
  co_return Status();
}

const LocatedBlock* FileReader::block_at(uint64_t offset) const {
  for (const LocatedBlock& block : blocks_) {
    if (block.offset <= offset && offset - block.offset < block.block.size_bytes) {
      return &block;
    }
  }
  return nullptr;
}

const Replica* FileReader::choose(const LocatedBlock& block) const {
  for (const Replica& replica : block.replicas) {
    if (!dead_.contains(replica.node.uuid)) {
      return &replica;
    }
  }
  return nullptr;
}

rt::Async<Result<std::string_view>> FileReader::next() {
  while (position_ < end_) {
    if (reader_ == nullptr) {
      MUSTER_CO_TRY_STATUS(co_await open_block());
    }
    Result<std::string_view> data = co_await reader_->next();
    if (!data.has_value()) {
      note_failure(data.error(), reader_->found_damage());
      reader_.reset();
      co_await report_damage();
      continue;
    }
    if (data->empty()) {
      end_block();
      continue;
    }
    position_ += data->size();
    if (!errors_.empty() || locates_ > 0) {
      errors_.clear();
      locates_ = 0;
    }
    co_return *data;
  }
  if (reader_ != nullptr) {
    static_cast<void>(co_await reader_->next());  // Tells the DataNode that all was well.
    end_block();
  }
  co_return std::string_view();
}

void FileReader::end_block() {
  if (auto stream = reader_->take_stream()) {
    deps_.data_nodes.idle().keep(reading_.replicas.front().node, std::move(stream));
  }
  reader_.reset();
}

rt::Async<Result<std::unique_ptr<BlockReader>>> FileReader::open_reader(Datanode node, ReadOp op) {
  IdleStreams& idle = deps_.data_nodes.idle();
  if (auto stream = idle.take(node)) {
    auto reader = co_await BlockReader::open(std::move(stream), op);
    if (reader.has_value() || reader.error().code != Errc::Unavailable) {
      co_return reader;
    }
    // The node has closed this stream meanwhile, and surely the others, too: that says nothing
    // about the node.
    idle.drop(node);
  }
  MUSTER_CO_TRY(auto stream, co_await deps_.data_nodes.connect(std::move(node), op.token));
  co_return co_await BlockReader::open(std::move(stream), std::move(op));
}

rt::Async<Status> FileReader::open_block() {
  while (true) {
    const LocatedBlock* block = block_at(position_);
    if (block == nullptr && locates_ == 0) {
      // The end of the window.
      ++locates_;
      MUSTER_CO_TRY_STATUS(co_await locate(position_));
      continue;
    }
    const Replica* replica = block == nullptr ? nullptr : choose(*block);
    if (replica == nullptr) {
      MUSTER_CO_TRY_STATUS(co_await locate_again());
      continue;
    }
    reading_ = *block;
    reading_.replicas = {*replica};
    const uint64_t from = position_ - block->offset;
    ReadOp op{.block = block->block,
              .token = block->token,
              .client_name = deps_.name_node.client_name(),
              .offset = from,
              .length = std::min(end_ - position_, block->block.size_bytes - from)};
    auto reader = co_await open_reader(replica->node, std::move(op));
    if (reader.has_value()) {
      reader_ = *std::move(reader);
      co_return Status();
    }
    const bool bad_token = reader.error().code == Errc::Unauthenticated;
    note_failure(reader.error(), false);
    if (bad_token) {
      // The token has expired: nothing may be wrong with the node itself.
      dead_.erase(reading_.replicas.front().node.uuid);
      MUSTER_CO_TRY_STATUS(co_await locate_again());
    }
  }
}

rt::Async<Status> FileReader::locate_again() {
  if (locates_ > options_.locate_retries_max) {
    std::string tried;
    for (const std::string& error : errors_) {
      tried += (tried.empty() ? ": " : "; ") + error;
    }
    if (tried.empty()) {
      tried = "; its DataNodes may be down: see `hdfs fsck`";
    }
    co_return cluster_error(fmt::format("cannot read {} at byte {}: no replica is left{}",
                                        printable(path_), position_, tried));
  }
  if (locates_ > 0 || !errors_.empty()) {
    // An expired token is renewed at once; dead DataNodes get time to come back.
    const bool only_token = errors_.size() == 1 && locates_ == 0 && dead_.empty();
    if (!only_token) {
      co_await rt::pause_for(deps_.loop, options_.locate_pause * std::max(locates_, 1));
    }
  }
  ++locates_;
  dead_.clear();
  co_return co_await locate(position_);
}

void FileReader::note_failure(const Error& error, bool damaged) {
  if (errors_.size() < 8) {
    errors_.push_back(error.message);
  }
  dead_.insert(reading_.replicas.front().node.uuid);
  to_report_ = to_report_ || damaged;
}

rt::Async<> FileReader::report_damage() {
  if (std::exchange(to_report_, false)) {
    // The next replica serves the caller whether or not the NameNode learns of this one.
    const Status told = co_await deps_.name_node.report_damaged(reading_);
    static_cast<void>(told);
  }
}

}  // namespace muster::hadoop::hdfs
