#pragma once

#include "cluster/host_memory.h"
#include "hadoop/hdfs/file_system.h"

#include <string>

namespace muster::cluster::yarn {

/// The hosts that a user's jobs on one Hadoop cluster remember: a file in the staging root, mode
/// 0600. It is read, and written anew as a whole: of jobs that end at the same moment one may be
/// forgotten. Lives on one loop's thread.
class HdfsHostMemory final : public HostMemory {
 public:
  /// `files` must outlive it.
  HdfsHostMemory(hadoop::hdfs::FileSystem& files, std::string path)
      : files_(files), path_(std::move(path)) {}

  rt::Async<Status> add(std::string line) override;

 private:
  hadoop::hdfs::FileSystem& files_;
  std::string path_;
};

/// Returns the lines in such a file; "" if it is missing.
[[nodiscard]] rt::Async<Result<std::string>> read_host_memory(hadoop::hdfs::FileSystem* files,
                                                              std::string path);

}  // namespace muster::cluster::yarn
