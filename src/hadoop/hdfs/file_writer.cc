#include "hadoop/hdfs/file_writer.h"

#include <utility>

namespace muster::hadoop::hdfs {

FileWriter::FileWriter(Deps deps, OpenFile file, WriterOptions options)
    : deps_(deps),
      file_(std::move(file)),
      cutter_(options.checksum,
              {.block_bytes = options.block_bytes, .packet_bytes = options.packet_bytes}),
      lease_(deps.leases),
      streamer_(deps.file, deps.log, file_, options) {}

rt::Async<Status> FileWriter::write(std::string_view bytes) {
  size_bytes_ += bytes.size();
  while (!bytes.empty()) {
    cutter_.add(bytes);
    if (cutter_.full()) {
      MUSTER_CO_TRY_STATUS(co_await push_cut());
    }
  }
  co_return Status();
}

rt::Async<Status> FileWriter::push_cut() {
  Packet packet = cutter_.cut();
  pushed_ = packet.number;
  MUSTER_CO_TRY_STATUS(co_await streamer_.push(std::move(packet)));
  if (cutter_.block_full()) {
    Packet end = cutter_.end_block();
    pushed_ = end.number;
    MUSTER_CO_TRY_STATUS(co_await streamer_.push(std::move(end)));
  }
  co_return Status();
}

rt::Async<Status> FileWriter::flush() {
  if (cutter_.has_fresh()) {
    MUSTER_CO_TRY_STATUS(co_await push_cut());
  }
  streamer_.set_flushed();
  MUSTER_CO_TRY_STATUS(co_await streamer_.acknowledged(pushed_));
  const std::optional<Block>& block = streamer_.last_block();
  if (block.has_value() && block->id != synced_id_) {
    // Readers find the block once the NameNode knows that it holds something.
    synced_id_ = block->id;
    MUSTER_CO_TRY_STATUS(co_await deps_.file.name_node.sync(file_, block->size_bytes));
  }
  co_return Status();
}

rt::Async<Status> FileWriter::close() {
  if (cutter_.has_fresh()) {
    MUSTER_CO_TRY_STATUS(co_await push_cut());
  }
  if (cutter_.in_block()) {
    Packet end = cutter_.end_block();
    pushed_ = end.number;
    MUSTER_CO_TRY_STATUS(co_await streamer_.push(std::move(end)));
  }
  MUSTER_CO_TRY_STATUS(co_await streamer_.acknowledged(pushed_));
  co_return co_await deps_.file.name_node.complete(file_, streamer_.last_block());
}

}  // namespace muster::hadoop::hdfs
