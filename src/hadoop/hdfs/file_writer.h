#pragma once

#include "base/log.h"
#include "base/result.h"
#include "hadoop/hdfs/blocks/block_streamer.h"
#include "hadoop/hdfs/blocks/packet_cutter.h"
#include "hadoop/hdfs/lease_keeper.h"
#include "rt/async.h"

#include <cstdint>
#include <string_view>

namespace muster::hadoop::hdfs {

/// A file open for writing, at its end. One call at a time. Memory: packets_max packets. Destroying
/// it without close() leaves the file open from the NameNode's point of view, until its lease
/// expires or somebody recovers it; what was flushed stays.
class FileWriter {
 public:
  struct Deps {
    FileDeps file;
    LeaseKeeper& leases;
    log::Logger log;
  };

  FileWriter(Deps deps, OpenFile file, WriterOptions options);

  /// Appends `bytes`, which must stay valid until it returns; they may still be on their way then.
  /// An error is final, and may concern bytes of earlier calls.
  [[nodiscard]] rt::Async<Status> write(std::string_view bytes);
  /// Waits until all bytes have reached every DataNode of the pipeline and readers can see them.
  [[nodiscard]] rt::Async<Status> flush();
  /// Writes what is left and closes the file. Nothing may be called after it.
  [[nodiscard]] rt::Async<Status> close();

  /// How many bytes were passed to write().
  [[nodiscard]] uint64_t size_bytes() const { return size_bytes_; }
  [[nodiscard]] const OpenFile& file() const { return file_; }

 private:
  [[nodiscard]] rt::Async<Status> push_cut();

  Deps deps_;
  OpenFile file_;
  PacketCutter cutter_;
  LeaseKeeper::Hold lease_;
  uint64_t size_bytes_ = 0;
  uint64_t pushed_ = 0;     ///< Number of the last packet.
  uint64_t synced_id_ = 0;  ///< The block whose length the NameNode was told about.
  BlockStreamer streamer_;  ///< Last: it works by itself.
};

}  // namespace muster::hadoop::hdfs
