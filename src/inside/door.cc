#include "inside/door.h"

namespace muster::inside {

bool Door::admits(const net::SocketAddress& peer) {
  constexpr size_t kTurnedAwayMax = 16;
  const std::string host = net::literal_of(peer);
  if (peers_.admits_host(host)) {
    return true;
  }
  if (turned_away_.size() < kTurnedAwayMax && turned_away_.insert(host).second) {
    refused_(host);
  }
  return false;
}

}  // namespace muster::inside
