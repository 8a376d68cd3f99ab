#include "cluster/retention.h"

#include <chrono>

namespace muster::cluster {

bool cleaning_is_due(WallTime last, WallTime now) {
  constexpr std::chrono::hours kEvery{24};
  return last > now || now - last >= kEvery;
}

}  // namespace muster::cluster
