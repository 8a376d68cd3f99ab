#include "client/follow/whole_output.h"

#include <algorithm>
#include <utility>

namespace muster::client {
namespace {

/// How much of the live pieces one stream keeps while its log is read.
constexpr size_t kLiveBytesMax = 256U << 10;

}  // namespace

/// Returns the part of a piece that is new; the piece reaches up to `stream.next` or beyond.
wire::Output WholeOutput::rest_of(wire::Output piece, Stream& stream) {
  const uint64_t end = piece.offset + piece.bytes.size();
  const uint64_t seen = std::min(stream.next, end) - std::min(piece.offset, stream.next);
  piece.bytes.erase(0, seen);
  piece.offset += seen;
  piece.dropped = 0;
  stream.next = std::max(stream.next, end);
  return piece;
}

/// Drops the oldest pieces first: like everything that was sent, they are in the log, unless its
/// disk is full.
void WholeOutput::keep(const wire::Output& piece, Stream& stream) {
  stream.live.push_back(piece);
  stream.live_bytes += piece.bytes.size();
  while (stream.live_bytes > kLiveBytesMax && stream.live.size() > 1) {
    stream.live_bytes -= stream.live.front().bytes.size();
    stream.live.pop_front();
  }
}

std::optional<wire::Output> WholeOutput::take(const wire::Output& piece) {
  const StreamId id{piece.attempt, piece.stream};
  Stream& stream = streams_[id];
  if (piece.offset + piece.bytes.size() <= stream.next) {
    return std::nullopt;
  }
  if (!behind_.contains(id) && piece.offset <= stream.next) {
    return rest_of(piece, stream);
  }
  keep(piece, stream);
  behind_.try_emplace(id, false);
  return std::nullopt;
}

void WholeOutput::finish(const StreamId& stream, uint64_t shown) {
  uint64_t& next = streams_[stream].next;
  next = std::max(next, shown);
  behind_[stream] = true;
}

std::optional<WholeOutput::Place> WholeOutput::to_read() const {
  const StreamId& id = behind_.begin()->first;
  const Stream& stream = streams_.at(id);
  return goes_on_live(stream)
             ? std::nullopt
             : std::optional(Place{.stream = id, .offset = stream.next - stream.lost});
}

WholeOutput::Step WholeOutput::step() {
  const auto [id, to_end] = *behind_.begin();
  Stream& stream = streams_[id];
  Step step{.stream = id, .piece = {}, .missing = 0, .why = {}};
  stream.live_bytes -= stream.live.front().bytes.size();
  step.piece = rest_of(std::move(stream.live.front()), stream);
  stream.live.pop_front();
  if (stream.live.empty() && !to_end) {
    behind_.erase(id);
  }
  return step;
}

WholeOutput::Step WholeOutput::step(const Place& place, Result<cluster::LogRange> range) {
  Stream& stream = streams_[place.stream];
  Step step{.stream = place.stream, .piece = {}, .missing = 0, .why = {}};
  step.piece.attempt = place.stream.first;
  step.piece.stream = place.stream.second;
  if (range && !range->bytes.empty()) {
    step.missing = range->offset - std::min(range->offset, place.offset);
    step.piece.offset = stream.next + step.missing;
    step.piece.bytes = std::move(range->bytes);
    stream.next = step.piece.offset + step.piece.bytes.size();
    return step;
  }
  if (stream.live.empty()) {
    behind_.erase(place.stream);
  } else if (!goes_on_live(stream)) {
    step.missing = stream.live.front().offset - stream.next;
    step.why = range ? "" : range.error().message;
    stream.lost += step.missing;
    stream.next = stream.live.front().offset;
  }
  return step;
}

}  // namespace muster::client
