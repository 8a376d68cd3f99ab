#include "wire/output_gate.h"

#include <algorithm>
#include <utility>

namespace muster::wire {

std::optional<Output> OutputGate::pass(const Output& piece, bool full) {
  const auto [found, first] = positions_.try_emplace({piece.attempt, piece.stream});
  Position& position = found->second;
  const uint64_t end = piece.offset + piece.bytes.size();
  if (!first && end <= position.next) {
    return std::nullopt;
  }
  const uint64_t skip = !first && position.next > piece.offset ? position.next - piece.offset : 0;
  // After the first piece offsets are enough, even across senders that do not know of each other.
  const uint64_t gap = piece.offset > position.next ? piece.offset - position.next : 0;
  const uint64_t dropped_before = first ? piece.dropped : gap;
  position.next = end;
  if (full) {
    leave_out(position, dropped_before, std::string_view(piece.bytes).substr(skip));
    return std::nullopt;
  }
  Output passed = piece;
  passed.offset += skip;
  passed.bytes.erase(0, skip);
  const LeftOut before = std::exchange(position.left_out, {});
  kept_ -= before.kept();
  passed.dropped = dropped_before + before.bytes();
  if (skip > 0) {
    passed.at_line_start = piece.bytes[skip - 1] == '\n';
  } else if (before.bytes() > 0 && dropped_before == 0) {
    passed.at_line_start |= before.ends_line();
  }
  return passed;
}

uint64_t OutputGate::next(job::AttemptId attempt, OutputStream stream) const {
  const auto found = positions_.find({attempt, stream});
  return found == positions_.end() ? 0 : found->second.next;
}

void OutputGate::leave_out(Position& position, uint64_t unseen, std::string_view bytes) {
  kept_ -= position.left_out.kept();
  position.left_out.add(unseen, bytes, std::min(LeftOut::kLastBytes, kKeptBytesMax - kept_));
  kept_ += position.left_out.kept();
}

std::vector<Output> OutputGate::rest() {
  std::vector<Output> pieces;
  for (auto& [stream, position] : positions_) {
    const LeftOut left_out = std::exchange(position.left_out, {});
    if (left_out.bytes() > 0) {
      pieces.push_back(left_out.rest(stream.first, stream.second, position.next));
    }
  }
  kept_ = 0;
  return pieces;
}

}  // namespace muster::wire
