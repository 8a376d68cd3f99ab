#pragma once

#include <cstdint>

namespace muster::agent {

/// Sums a counter over processes, which come and go: when a process is reaped by another, or a
/// counter restarts, the plain sum loses a part. The result never falls.
class RisingSum {
 public:
  /// Takes the sum as it is seen now; returns everything added to it since the beginning.
  uint64_t take(uint64_t seen);

 private:
  uint64_t last_ = 0;
  uint64_t total_ = 0;
};

}  // namespace muster::agent
