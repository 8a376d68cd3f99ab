#pragma once

#include "agent/checkpoint/checkpoint_watch.h"
#include "job/ids.h"
#include "rt/async.h"
#include "wire/frame.h"

#include <map>
#include <memory>

namespace muster::agent {

/// Mirrors the checkpoints of those attempts of this container that own one. Lives on the loop's
/// thread.
class Checkpointer {
 public:
  explicit Checkpointer(const CheckpointDeps& deps) : deps_(deps) {}
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Begins to watch an attempt whose process has just started.
  void watch(WatchedCheckpoint watched);
  [[nodiscard]] bool watches(job::AttemptId attempt) const { return watches_.contains(attempt); }
  void answered(const wire::CommitAnswered& answer);
  /// The attempt's process has ended: looks one last time, commits what is complete and forgets the
  /// attempt, after `patience` at the latest. Does nothing for an attempt that is not watched.
  [[nodiscard]] rt::Async<> finish(job::AttemptId attempt, Duration patience);

 private:
  CheckpointDeps deps_;
  std::map<job::AttemptId, std::unique_ptr<CheckpointWatch>> watches_;
};

}  // namespace muster::agent
