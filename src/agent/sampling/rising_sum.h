#pragma once

#include <cstdint>

namespace muster::agent {

/// A counter summed over processes, which come and go: of one that somebody else reaped, or that
/// begins again, the sum loses a part. What is given never falls.
class RisingSum {
 public:
  /// Takes the sum as it is seen now; returns everything that was added to it since the beginning.
  uint64_t take(uint64_t seen);

 private:
  uint64_t last_ = 0;
  uint64_t total_ = 0;
};

}  // namespace muster::agent
