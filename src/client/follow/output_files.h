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

/// The logs of a followed job, for output that did not arrive live, wherever its cluster keeps
/// them. Nothing is fetched before something is read. Calls block and are meant for a thread other
/// than the one that follows; a cluster takes one call at a time, so other users of the same one
/// must hold turn().
class OutputFiles {
 public:
  /// All must outlive it.
  OutputFiles(os::Files& files, cluster::Cluster& cluster, cluster::JobFolder folder)
      : files_(files), cluster_(cluster), folder_(std::move(folder)) {}

  /// Reads a stream from `offset` on; empty at its present end. Fetches what is not here yet. An
  /// error says why there is no more.
  [[nodiscard]] Result<cluster::LogRange> read(const cluster::LogStream& stream, uint64_t offset);
  /// The job has ended: its output is complete.
  void job_ended() {
    const std::scoped_lock lock(turn_);
    ended_ = true;
  }
  /// Must be held while the cluster is called.
  [[nodiscard]] std::mutex& turn() { return turn_; }
  /// Returns the streams whose logs grow on this host, by role (in this order), index and attempt;
  /// none if they are elsewhere.
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
