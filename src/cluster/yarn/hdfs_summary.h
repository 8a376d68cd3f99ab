#pragma once

#include "base/result.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"

#include <string>

namespace muster::cluster::yarn {

/// What stays of a job in HDFS for people: its summary. The file appears as a whole.
class HdfsSummary {
 public:
  HdfsSummary(hadoop::hdfs::FileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {}

  /// Keeps the text for write().
  void set(std::string text) { text_ = std::move(text); }
  /// Writes what was set; nothing if nothing was.
  [[nodiscard]] rt::Async<Status> write();

 private:
  hadoop::hdfs::FileSystem& files_;
  std::string path_;
  std::string text_;
};

}  // namespace muster::cluster::yarn
