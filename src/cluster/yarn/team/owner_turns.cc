#include "cluster/yarn/team/owner_turns.h"

namespace muster::cluster::yarn {

std::shared_ptr<void> OwnerTurns::take(const std::string& owner) {
  std::shared_ptr<std::atomic<int>>& known = taken_[owner];
  if (known == nullptr) {
    known = std::make_shared<std::atomic<int>>(0);
  }
  if (*known >= kAtATime) {
    return nullptr;
  }
  ++*known;
  return {known.get(), [count = known](void*) { --*count; }};
}

}  // namespace muster::cluster::yarn
