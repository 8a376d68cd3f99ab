#pragma once

#include "base/result.h"
#include "cluster/log_files.h"
#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace muster::client {

/// One stream of one attempt.
using StreamId = std::pair<job::AttemptId, wire::OutputStream>;

/// Puts streams together for a reader who wants every byte, once and in order. Masters leave out
/// what a follower is too slow for: such a stream is behind, and goes on from its log until it has
/// reached what comes live. Whoever owns this calls step() while there is something behind().
class WholeOutput {
 public:
  /// Reads a stream's log from `offset` on (cluster::read_log_range). Empty: there is no more now.
  using Read = std::function<Result<cluster::LogRange>(const StreamId& stream, uint64_t offset)>;

  explicit WholeOutput(Read read) : read_(std::move(read)) {}

  /// Takes a live piece. Returns what is new of it if it comes next in its stream; otherwise the
  /// stream is behind, or had it already.
  [[nodiscard]] std::optional<wire::Output> take(const wire::Output& piece);
  /// Nothing more comes live of this stream: what is left of its log is to be read.
  void finish(const StreamId& stream);
  [[nodiscard]] bool behind() const { return !behind_.empty(); }

  /// What one step found: what comes next of a stream, or what of it is lost.
  struct Step {
    StreamId stream;
    wire::Output piece;    ///< Without bytes: there is nothing.
    uint64_t missing = 0;  ///< Bytes that nobody has.
    std::string why;       ///< They are missing; "" if only their absence is known.
  };
  /// Reads the next bytes of a stream that is behind. Only while behind().
  [[nodiscard]] Step step();

 private:
  struct Stream {
    uint64_t next = 0;              ///< Offset after the last byte that was returned.
    uint64_t lost = 0;              ///< Of those before, how many the log does not have.
    std::deque<wire::Output> live;  ///< The latest pieces, which cannot be returned yet.
    size_t live_bytes = 0;          ///< In these.
  };
  [[nodiscard]] static wire::Output rest_of(wire::Output piece, Stream& stream);
  static void keep(const wire::Output& piece, Stream& stream);

  Read read_;
  std::map<StreamId, Stream> streams_;
  std::map<StreamId, bool> behind_;  ///< With whether the log is read to its end.
};

}  // namespace muster::client
