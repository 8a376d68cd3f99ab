#pragma once

#include "eventlog/segment_store.h"
#include "job/ids.h"

#include <functional>
#include <utility>

namespace muster::master {

/// Tells a master that a newer one is in charge. Every master makes its segment of the log before
/// anything else, so the newest segment shows who is in charge.
class Fence {
 public:
  using OnFenced = std::function<void(job::Epoch by)>;

  /// `on_fenced` may be called repeatedly.
  Fence(eventlog::SegmentStore& segments, job::Epoch epoch, OnFenced on_fenced)
      : segments_(segments), epoch_(epoch), on_fenced_(std::move(on_fenced)) {}

  /// Checks the log: calls `on_fenced` if a newer master has made its segment.
  void check();
  /// An agent says that it obeys the master of epoch `by`. Returns whether there is such a master,
  /// after `on_fenced`; the agent is believed if the log cannot be read.
  [[nodiscard]] bool claimed(job::Epoch by);

 private:
  eventlog::SegmentStore& segments_;
  job::Epoch epoch_;
  OnFenced on_fenced_;
};

}  // namespace muster::master
