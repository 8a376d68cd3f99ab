#pragma once

#include "wire/frame.h"

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace muster::master {

/// What tasks write before the person who started the job follows it. A short task can be over by
/// the time they are connected, and so can its agent, which would otherwise send the last lines.
class EarlyOutput {
 public:
  /// `awaited`: somebody is about to follow the job. Otherwise nothing is kept.
  explicit EarlyOutput(bool awaited) : gathering_(awaited) {}

  /// Returns whether pieces are kept, which they are until take().
  [[nodiscard]] bool gathering() const { return gathering_; }
  /// Keeps a piece while gathering; beyond 256 KiB the oldest are dropped.
  void add(const wire::Output& piece);
  /// Returns the pieces in order of arrival, once, and stops keeping any.
  [[nodiscard]] std::vector<wire::Output> take();

 private:
  bool gathering_;
  size_t bytes_ = 0;
  std::deque<wire::Output> pieces_;
};

}  // namespace muster::master
