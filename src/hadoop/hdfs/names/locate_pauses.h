#pragma once

#include "base/time.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace muster::hadoop::hdfs {

/// How long add_block() and complete() wait between requests while DataNodes have not reported a
/// block. Usually they report within milliseconds: checks from 5 ms on, doubling, come before the
/// configured delay and do not count as retries; then comes the delay, doubling up to its maximum.
class LocatePauses {
 public:
  /// `retries_max`, `delay`, `delay_max`: dfs.client.block.write.locateFollowingBlock.*
  LocatePauses(int retries_max, Duration delay, Duration delay_max)
      : looks_below_(delay),
        retries_left_(retries_max),
        delay_(delay),
        delay_max_(std::max(delay, delay_max)) {}

  /// Returns the next pause; nullopt when the retries are spent.
  [[nodiscard]] std::optional<Duration> next() {
    if (retries_left_ <= 0) {
      return std::nullopt;
    }
    if (look_ < looks_below_) {
      return std::exchange(look_, 2 * look_);
    }
    --retries_left_;
    return std::exchange(delay_, std::min(2 * delay_, delay_max_));
  }

 private:
  Duration look_ = std::chrono::milliseconds(5);
  Duration looks_below_;
  int retries_left_;
  Duration delay_;
  Duration delay_max_;
};

}  // namespace muster::hadoop::hdfs
