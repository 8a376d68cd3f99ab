#pragma once

#include "wire/frame.h"

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace muster::master {

/// What tasks write before the one who started the job follows it. A short task can be over by the
/// time that they are connected, and its agent, which would send the last lines, gone.
class EarlyOutput {
 public:
  /// `awaited`: somebody is about to follow the job. Else nothing is kept.
  explicit EarlyOutput(bool awaited) : gathering_(awaited) {}

  /// Whether pieces are kept: until take().
  [[nodiscard]] bool gathering() const { return gathering_; }
  /// Keeps a piece while gathering, and forgets the oldest above 256 KiB.
  void add(const wire::Output& piece);
  /// Returns the pieces in the order in which they came, once, and keeps no more.
  [[nodiscard]] std::vector<wire::Output> take();

 private:
  bool gathering_;
  size_t bytes_ = 0;
  std::deque<wire::Output> pieces_;
};

}  // namespace muster::master
