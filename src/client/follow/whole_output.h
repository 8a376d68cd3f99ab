#pragma once

#include "base/result.h"
#include "cluster/log_files.h"
#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace muster::client {

/// One stream of one attempt.
using StreamId = std::pair<job::AttemptId, wire::OutputStream>;

/// Reassembles streams for a reader who wants every byte, once and in order. Masters leave out what
/// a follower is too slow for: such a stream is behind, and continues from its log until it has
/// caught up with the live output. The owner calls step() as long as some stream is behind(), and
/// reads the logs; that may take long, and live pieces are accepted meanwhile.
class WholeOutput {
 public:
  /// Takes a live piece. Returns the new part of it if it comes next in its stream; otherwise the
  /// stream is behind, or already had it.
  [[nodiscard]] std::optional<wire::Output> take(const wire::Output& piece);
  /// No more live output of this stream follows: the rest of its log is to be read, after the first
  /// `shown` bytes.
  void finish(const StreamId& stream, uint64_t shown = 0);
  [[nodiscard]] bool behind() const { return !behind_.empty(); }

  /// The result of one step: what comes next in a stream, or which part of it is lost.
  struct Step {
    StreamId stream;
    wire::Output piece;    ///< Without bytes if there is nothing.
    uint64_t missing = 0;  ///< Bytes that are lost for good.
    std::string why;       ///< Why they are missing; "" if unknown.
  };
  /// Where a log is to be read (cluster::read_log_range).
  struct Place {
    StreamId stream;
    uint64_t offset = 0;
  };
  /// Returns which part of a log step() needs; nullopt if it needs nothing. Only while behind().
  [[nodiscard]] std::optional<Place> to_read() const;
  /// Continues a stream that is behind, without its log. Only if to_read() returned nullopt.
  [[nodiscard]] Step step();
  /// Continues with what the log had at `place`, which to_read() returned; without bytes, there is
  /// no more for now.
  [[nodiscard]] Step step(const Place& place, Result<cluster::LogRange> range);

 private:
  struct Stream {
    uint64_t next = 0;              ///< Offset after the last byte that was returned.
    uint64_t lost = 0;              ///< Of those before, how many the log does not have.
    std::deque<wire::Output> live;  ///< The latest pieces, which cannot be returned yet.
    size_t live_bytes = 0;          ///< In these.
  };
  [[nodiscard]] static wire::Output rest_of(wire::Output piece, Stream& stream);
  static void keep(const wire::Output& piece, Stream& stream);
  /// Returns whether the next bytes of the stream have arrived live.
  [[nodiscard]] static bool goes_on_live(const Stream& stream) {
    return !stream.live.empty() && stream.live.front().offset <= stream.next;
  }

  std::map<StreamId, Stream> streams_;
  std::map<StreamId, bool> behind_;  ///< Value: whether the log was read to its end.
};

}  // namespace muster::client
