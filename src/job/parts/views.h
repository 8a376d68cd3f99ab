#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/view.h"

#include <vector>

namespace muster::job {

/// Generations and their views: every opened barrier forms one. Records what has left the newest
/// view, so that a small change of a large gang stays cheap.
class Views {
 public:
  /// Writes the view of the newest generation.
  Views(const Deps& deps, View& view);

  /// Starts these attempts, sorted and without duplicates, in a new generation.
  void start(const std::vector<TaskId>& starting);
  /// Tells an agent again what it missed: the newest view lists the attempt, and agents obey no
  /// older one.
  void start_again(TaskId id);
  /// A member has ended or was told to stop.
  void left(TaskId id) { departed_.push_back(id); }
  /// An agent has seen this generation, so the next one must be newer.
  void saw(Generation generation);

  [[nodiscard]] Generation floor() const { return floor_; }

 private:
  void take_starts_along();
  void form(const std::vector<TaskId>& starting);

  Turn& turn_;
  Lives& lives_;
  View& view_;
  Generation floor_;              ///< The highest an agent has seen.
  std::vector<TaskId> departed_;  ///< In the view, but ended or told to stop since.
};

}  // namespace muster::job
