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

/// Puts streams together for a reader who wants every byte, once and in order. Masters leave out
/// what a follower is too slow for: such a stream is behind, and goes on from its log until it has
/// reached what comes live. Whoever owns this calls step() while there is something behind(), and
/// reads the logs: that may take long, and live pieces are taken meanwhile.
class WholeOutput {
 public:
  /// Takes a live piece. Returns what is new of it if it comes next in its stream; otherwise the
  /// stream is behind, or had it already.
  [[nodiscard]] std::optional<wire::Output> take(const wire::Output& piece);
  /// Nothing more comes live of this stream: what is left of its log is to be read, after the first
  /// `shown` bytes.
  void finish(const StreamId& stream, uint64_t shown = 0);
  [[nodiscard]] bool behind() const { return !behind_.empty(); }

  /// What one step found: what comes next of a stream, or what of it is lost.
  struct Step {
    StreamId stream;
    wire::Output piece;    ///< Without bytes: there is nothing.
    uint64_t missing = 0;  ///< Bytes that nobody has.
    std::string why;       ///< They are missing; "" if only their absence is known.
  };
  /// Where a log is to be read (cluster::read_log_range).
  struct Place {
    StreamId stream;
    uint64_t offset = 0;
  };
  /// Returns what step() needs to know of a log; nullopt where it needs nothing. Only while
  /// behind().
  [[nodiscard]] std::optional<Place> to_read() const;
  /// Goes on with a stream that is behind, without its log. Only where to_read() says so.
  [[nodiscard]] Step step();
  /// Goes on with what the log had at `place`, which to_read() gave; without bytes: there is no
  /// more now.
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
  /// Whether the next bytes of the stream have come live.
  [[nodiscard]] static bool goes_on_live(const Stream& stream) {
    return !stream.live.empty() && stream.live.front().offset <= stream.next;
  }

  std::map<StreamId, Stream> streams_;
  std::map<StreamId, bool> behind_;  ///< With whether the log is read to its end.
};

}  // namespace muster::client
