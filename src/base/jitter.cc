#include "base/jitter.h"

#include "base/split_mix.h"

namespace muster {

Duration Jitter::around(Duration mean, Duration most) {
  const auto span = static_cast<uint64_t>(2 * most.count() + 1);
  return mean - most + Duration(static_cast<int64_t>(next_bits(state_) % span));
}

}  // namespace muster
