#include "master/output_gate.h"

namespace muster::master {

std::optional<wire::Output> OutputGate::pass(const wire::Output& piece, bool full) {
  const auto [found, first] = positions_.try_emplace({piece.attempt, piece.stream});
  Position& position = found->second;
  const uint64_t end = piece.offset + piece.bytes.size();
  if (!first && end <= position.next) {
    return std::nullopt;
  }
  const uint64_t skip = !first && position.next > piece.offset ? position.next - piece.offset : 0;
  const uint64_t fresh = piece.bytes.size() - skip;
  const uint64_t dropped_before = skip == 0 ? piece.dropped : 0;
  position.next = end;
  if (full) {
    position.dropped += dropped_before + fresh;
    return std::nullopt;
  }
  wire::Output passed = piece;
  passed.offset += skip;
  passed.bytes.erase(0, skip);
  passed.dropped = dropped_before + position.dropped;
  position.dropped = 0;
  return passed;
}

}  // namespace muster::master
