#pragma once

#include "base/result.h"
#include "cluster/cluster.h"
#include "cluster/job_folder.h"
#include "cluster/log_files.h"
#include "os/file/files.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace muster::client {

/// The logs of a job that is being followed, for what did not come live: wherever its cluster keeps
/// them. Nothing is asked for before something is read. Calls block, and are meant for a thread
/// other than the one that follows; a cluster takes one call at a time, so whoever else calls the
/// same one holds its turn().
class OutputFiles {
 public:
  /// All outlive it.
  OutputFiles(os::Files& files, cluster::Cluster& cluster, cluster::JobFolder folder)
      : files_(files), cluster_(cluster), folder_(std::move(folder)) {}

  /// Reads a stream from `offset` on; empty at its present end. What is not here yet is brought. An
  /// error says why there is no more.
  [[nodiscard]] Result<cluster::LogRange> read(const cluster::LogStream& stream, uint64_t offset);
  /// The job has ended: what it has written is all that there will be.
  void job_ended() {
    const std::scoped_lock lock(turn_);
    ended_ = true;
  }
  /// Held while the cluster is called.
  [[nodiscard]] std::mutex& turn() { return turn_; }
  /// The streams whose logs grow on this host, by role (in this order), index and attempt; none
  /// where they are elsewhere.
  [[nodiscard]] std::vector<cluster::LogStream> here(const std::vector<std::string>& roles);

 private:
  [[nodiscard]] Status open();
  [[nodiscard]] Status bring();

  os::Files& files_;
  cluster::Cluster& cluster_;
  cluster::JobFolder folder_;
  std::mutex turn_;
  std::unique_ptr<cluster::Outputs> outputs_;
  bool ended_ = false;
  bool end_brought_ = false;
};

}  // namespace muster::client
