#include "wire/output_gate.h"

namespace muster::wire {

std::optional<Output> OutputGate::pass(const Output& piece, bool full) {
  const auto [found, first] = positions_.try_emplace({piece.attempt, piece.stream});
  Position& position = found->second;
  const uint64_t end = piece.offset + piece.bytes.size();
  if (!first && end <= position.next) {
    return std::nullopt;
  }
  const uint64_t skip = !first && position.next > piece.offset ? position.next - piece.offset : 0;
  const uint64_t fresh = piece.bytes.size() - skip;
  // After the first piece offsets say it all, also across senders that do not know of each other.
  const uint64_t gap = piece.offset > position.next ? piece.offset - position.next : 0;
  const uint64_t dropped_before = first ? piece.dropped : gap;
  position.next = end;
  if (full) {
    position.dropped += dropped_before + fresh;
    position.amid_line = !piece.bytes.ends_with('\n');
    return std::nullopt;
  }
  Output passed = piece;
  passed.offset += skip;
  passed.bytes.erase(0, skip);
  passed.dropped = dropped_before + position.dropped;
  if (skip > 0) {
    passed.at_line_start = piece.bytes[skip - 1] == '\n';
  } else if (position.dropped > 0 && dropped_before == 0) {
    passed.at_line_start |= !position.amid_line;
  }
  position.dropped = 0;
  return passed;
}

std::vector<Output> OutputGate::rest() {
  std::vector<Output> pieces;
  for (auto& [stream, position] : positions_) {
    if (position.dropped > 0) {
      pieces.push_back({.attempt = stream.first,
                        .stream = stream.second,
                        .offset = position.next,
                        .dropped = position.dropped,
                        .bytes = {},
                        .at_line_start = !position.amid_line});
      position.dropped = 0;
    }
  }
  return pieces;
}

}  // namespace muster::wire
