#include "agent/sampling/rising_sum.h"

namespace muster::agent {

uint64_t RisingSum::take(uint64_t seen) {
  total_ += seen > last_ ? seen - last_ : 0;
  last_ = seen;
  return total_;
}

}  // namespace muster::agent
