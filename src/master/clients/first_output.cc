#include "master/clients/first_output.h"

#include <algorithm>
#include <iterator>

namespace muster::master {
namespace {

/// What a piece costs beside its bytes.
constexpr size_t kWaitingPieceBytes = sizeof(wire::Output);

}  // namespace

std::vector<wire::Output> FirstOutput::take(wire::Output piece) {
  std::vector<wire::Output> ready;
  const Stream stream{piece.attempt, piece.stream};
  if (!waits_ || begun_.contains(stream)) {
    ready.push_back(std::move(piece));
    return ready;
  }
  const bool begins = piece.offset == 0 || piece.again;
  std::vector<wire::Output>& waiting = waiting_[stream];
  bytes_ += piece.bytes.size() + kWaitingPieceBytes;
  waiting.insert(std::ranges::upper_bound(waiting, piece.offset, {}, &wire::Output::offset),
                 std::move(piece));
  if (bytes_ > kBytesMax) {
    return give_up();
  }
  if (begins) {
    ready = std::move(waiting);
    waiting_.erase(stream);
    begun_.insert(stream);
    for (const wire::Output& each : ready) {
      bytes_ -= each.bytes.size() + kWaitingPieceBytes;
    }
  }
  return ready;
}

std::vector<wire::Output> FirstOutput::give_up() {
  waits_ = false;
  bytes_ = 0;
  begun_.clear();
  std::vector<wire::Output> ready;
  for (auto& [stream, waiting] : std::exchange(waiting_, {})) {
    std::ranges::move(waiting, std::back_inserter(ready));
  }
  return ready;
}

}  // namespace muster::master
