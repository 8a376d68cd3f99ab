#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/block_reader.h"
#include "hadoop/hdfs/blocks/data_nodes.h"
#include "hadoop/hdfs/names/name_node.h"
#include "rt/async.h"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop::hdfs {

struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = std::numeric_limits<uint64_t>::max();  ///< To the end of the file at most.
};

struct ReaderOptions {
  /// How often the NameNode is asked for other replicas when every known one has failed, and the
  /// pause before that, which grows with each time.
  int locate_retries_max = 3;
  Duration locate_pause = std::chrono::seconds(3);
  /// How much of a file's blocks is requested at a time.
  uint64_t window_bytes = uint64_t{2} << 30;
};

/// What readers and writers of files work with.
struct FileDeps {
  rt::Loop& loop;
  NameNode& name_node;
  DataNodes& data_nodes;
};

/// Reads a file, or a range of it, from start to end. Checksums are verified; a damaged, dead or
/// silent replica is abandoned for the next one in mid-block, and a damaged one is reported. A file
/// that is still being written is read up to the length that was visible when it was opened. One
/// call at a time.
class FileReader {
 public:
  /// NotFound; InvalidArgument for a folder; Unsupported for erasure-coded and encrypted files.
  [[nodiscard]] static rt::Async<Result<std::unique_ptr<FileReader>>> open(FileDeps deps,
                                                                           std::string path,
                                                                           ByteRange range,
                                                                           ReaderOptions options);

  /// The length of the whole file.
  [[nodiscard]] uint64_t file_bytes() const { return file_bytes_; }
  /// How much of the range is still to come.
  [[nodiscard]] uint64_t remaining_bytes() const { return end_ - position_; }

  /// Returns the next bytes without a copy: the view is valid until the next call. Empty at the
  /// end.
  [[nodiscard]] rt::Async<Result<std::string_view>> next();

 private:
  FileReader(FileDeps deps, std::string path, ReaderOptions options)
      : deps_(deps), path_(std::move(path)), options_(options) {}

  [[nodiscard]] rt::Async<Status> locate(uint64_t offset);
  [[nodiscard]] rt::Async<Status> find_length();
  [[nodiscard]] const LocatedBlock* block_at(uint64_t offset) const;
  [[nodiscard]] rt::Async<Status> open_block();
  [[nodiscard]] rt::Async<Result<std::unique_ptr<BlockReader>>> open_reader(Datanode node,
                                                                            ReadOp op);
  void end_block();
  [[nodiscard]] rt::Async<Status> locate_again();
  [[nodiscard]] const Replica* choose(const LocatedBlock& block) const;
  void note_failure(const Error& error, bool damaged);
  [[nodiscard]] rt::Async<> report_damage();

  FileDeps deps_;
  std::string path_;
  ReaderOptions options_;
  std::vector<LocatedBlock> blocks_;  ///< Of the present window.
  uint64_t file_bytes_ = 0;
  uint64_t position_ = 0;
  uint64_t end_ = 0;

  std::unique_ptr<BlockReader> reader_;
  LocatedBlock reading_;             ///< What `reader_` reads; replicas: only the chosen one.
  std::set<std::string> dead_;       ///< DataNodes that failed, by their ids.
  std::vector<std::string> errors_;  ///< Since the last progress.
  bool to_report_ = false;
  int locates_ = 0;  ///< Since the last progress.
};

}  // namespace muster::hadoop::hdfs
