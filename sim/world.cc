#include "sim/world.h"

#include <algorithm>

namespace muster::sim {

void World::at(Time when, Event event) {
  queue_.emplace(std::pair{std::max(when, now_), ++sequence_}, std::move(event));
}

bool World::run_until(Time limit, const std::function<bool()>& done) {
  while (!done()) {
    if (queue_.empty() || queue_.begin()->first.first > limit) {
      return false;
    }
    auto first = queue_.extract(queue_.begin());
    now_ = first.key().first;
    ++steps_;
    first.mapped()();
  }
  return true;
}

void World::note(uint64_t value) {
  for (int i = 0; i < 8; ++i) {
    hash_ = (hash_ ^ (value & 0xFF)) * 0x100000001B3ULL;
    value >>= 8;
  }
}

}  // namespace muster::sim
