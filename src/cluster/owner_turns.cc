#include "cluster/owner_turns.h"

namespace muster::cluster {

std::shared_ptr<void> OwnerTurns::take(const std::string& owner) {
  std::shared_ptr<std::atomic<int>>& known = taken_[owner];
  if (known == nullptr) {
    known = std::make_shared<std::atomic<int>>(0);
  }
  if (*known >= at_a_time_) {
    return nullptr;
  }
  ++*known;
  return {known.get(), [count = known](void*) { --*count; }};
}

}  // namespace muster::cluster
