#include "cluster/yarn/link/beat_rule.h"

#include <chrono>

namespace muster::cluster::yarn {

Duration BeatRule::interval() const {
  const Duration quiet = beaten_ - changed_;
  if (quiet < std::chrono::seconds(15)) {
    return std::chrono::milliseconds(200);
  }
  if (quiet < std::chrono::minutes(5)) {
    return std::chrono::seconds(1);
  }
  return std::chrono::seconds(5);
}

}  // namespace muster::cluster::yarn
