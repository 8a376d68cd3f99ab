#pragma once

#include "eventlog/segment_store.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// The segments of one job's log in a folder of HDFS, `000001.log` and so on, mode 0600. A master
/// open()s it before anything else: that makes its own segment, which is the fence, and then reads
/// what earlier masters wrote, to the length that is visible, without waiting for their leases.
///
/// Appends are written and flushed together, off the master's path. What HDFS does not take in
/// time is an error, after which the open file cannot be used any more: the next append writes the
/// segment again, all that was ever confirmed first, and puts it in the place of the old one in one
/// step. For that the confirmed bytes are kept in memory. Once there is a segment of a later epoch
/// nothing is written again: list() has that epoch then. Lives on one loop's thread.
class HdfsSegmentStore final : public eventlog::SegmentStore {
 public:
  /// AlreadyExists if another master makes the same segment at the same moment.
  [[nodiscard]] static rt::Async<Result<std::unique_ptr<HdfsSegmentStore>>> open(
      rt::Loop* loop, hadoop::hdfs::FileSystem* files, std::string folder);
  ~HdfsSegmentStore() override;

  Result<std::vector<job::Epoch>> list() override;
  Status create(job::Epoch epoch) override;
  void append(std::string bytes, std::function<void(Status)> done) override;
  Result<std::string> read(job::Epoch epoch) override;

  /// Waits until everything appended is written, and closes the segment. Later appends fail.
  [[nodiscard]] rt::Async<Status> close();

 private:
  struct Append {
    std::string bytes;
    std::function<void(Status)> done;
  };
  HdfsSegmentStore(rt::Loop& loop, hadoop::hdfs::FileSystem& files, std::string folder);

  [[nodiscard]] rt::Async<> write_queued();
  [[nodiscard]] rt::Async<Status> write(const std::string* bytes);
  [[nodiscard]] rt::Async<Status> write_and_flush(const std::string* bytes);
  [[nodiscard]] rt::Async<Status> write_anew(const std::string* bytes);
  [[nodiscard]] rt::Async<Status> refuse_if_fenced();
  [[nodiscard]] std::string path_of(job::Epoch epoch) const;

  rt::Loop& loop_;
  hadoop::hdfs::FileSystem& files_;
  std::string folder_;
  std::map<job::Epoch, std::string> earlier_;
  job::Epoch own_;
  std::optional<job::Epoch> later_;  ///< Of another master, once seen.
  bool created_ = false;
  std::unique_ptr<hadoop::hdfs::FileWriter> writer_;  ///< nullptr after an error.
  std::string confirmed_;
  std::vector<Append> queue_;
  bool writing_ = false;
  bool closed_ = false;
  rt::Scope scope_;
};

}  // namespace muster::cluster::yarn
