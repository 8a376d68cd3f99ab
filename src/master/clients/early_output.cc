#include "master/clients/early_output.h"

#include <iterator>

namespace muster::master {
namespace {

constexpr size_t kBytesMax = 256U << 10;
/// What a piece costs beside its bytes, so that empty lines are bounded, too.
constexpr size_t kPieceBytes = sizeof(wire::Output);

}  // namespace

void EarlyOutput::add(const wire::Output& piece) {
  if (!gathering_) {
    return;
  }
  pieces_.push_back(piece);
  bytes_ += piece.bytes.size() + kPieceBytes;
  while (bytes_ > kBytesMax) {
    bytes_ -= pieces_.front().bytes.size() + kPieceBytes;
    pieces_.pop_front();
  }
}

std::vector<wire::Output> EarlyOutput::take() {
  gathering_ = false;
  bytes_ = 0;
  std::deque<wire::Output> taken = std::exchange(pieces_, {});
  return {std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end())};
}

}  // namespace muster::master
