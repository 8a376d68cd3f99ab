#pragma once

#include "base/time.h"

#include <cstdint>

namespace muster {

/// Makes the lengths of pauses uneven, so that what is polled does not fall into step with the
/// polling. A value: equal seeds give equal lengths.
class Jitter {
 public:
  explicit Jitter(uint64_t seed) : state_(seed) {}

  /// Returns the next length: `mean` and up to `most` more or less, each as likely as any other.
  /// `most` is not negative and not more than `mean`.
  [[nodiscard]] Duration around(Duration mean, Duration most);

 private:
  uint64_t state_;
};

}  // namespace muster
