#pragma once

#include "wire/frame.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace muster::master {

/// Decides for one follower which pieces of output it gets: nothing twice (agents repeat the tail
/// when another follower comes), and nothing while its connection is full; what was left out is
/// counted in the next piece.
class OutputGate {
 public:
  /// Returns the piece to send, cut to what is new; nullopt for none. `full`: the follower's budget
  /// is spent.
  [[nodiscard]] std::optional<wire::Output> pass(const wire::Output& piece, bool full);

 private:
  struct Position {
    uint64_t next = 0;     ///< Offset after the last byte that was sent or counted.
    uint64_t dropped = 0;  ///< Left out since the last piece that was sent.
  };
  std::map<std::pair<job::AttemptId, wire::OutputStream>, Position> positions_;
};

}  // namespace muster::master
