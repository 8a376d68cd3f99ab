#pragma once

#include "base/error.h"
#include "base/time.h"
#include "hadoop/hdfs/blocks/block.h"
#include "hadoop/hdfs/blocks/pipeline.h"
#include "hadoop/hdfs/writer_options.h"
#include "rt/loop.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::hadoop::hdfs {

/// What a file's writer remembers about DataNodes that failed it: which to avoid for a while, which
/// to wait for, what they said, and how often it has tried to continue.
class NodeTroubles {
 public:
  /// `options` must outlive this.
  NodeTroubles(rt::Loop& loop, const WriterOptions& options) : loop_(loop), options_(options) {}

  /// The node gets no new block for a while.
  void exclude(const Datanode& node);
  [[nodiscard]] std::vector<Datanode> excluded();

  /// Remembers why something failed, until a packet is acknowledged.
  void note(std::string error) { errors_.push_back(std::move(error)); }
  /// A packet was acknowledged: earlier failures no longer count.
  void forget();
  /// What was noted, in one line; "" if nothing was.
  [[nodiscard]] std::string tried() const;
  /// Returns the error of a writer that gives up.
  [[nodiscard]] Error give_up(const std::string& path) const;

  /// Counts one more recovery; false if there were too many.
  [[nodiscard]] bool may_recover() { return ++recoveries_ <= options_.recoveries_max; }
  /// Returns true while `node`, which has failed, is waited for because it is restarting; that
  /// recovery does not count.
  [[nodiscard]] bool waits_for(const Datanode& node, const PipelineFailure& failure);

 private:
  /// A DataNode that failed, and until when it is avoided.
  struct Excluded {
    Datanode node;
    HostTime until;
  };

  rt::Loop& loop_;
  const WriterOptions& options_;
  std::vector<Excluded> excluded_;
  std::vector<std::string> errors_;
  int recoveries_ = 0;         ///< Since the last acknowledgement.
  std::string restarting_id_;  ///< The DataNode that said it restarts,
  HostTime restart_until_{};   ///< and how long it is waited for.
};

}  // namespace muster::hadoop::hdfs
