#pragma once

#include "wire/frame.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace muster::wire {

/// What one reader of tasks' output has got, on both sides of a connection. Nothing passes twice:
/// agents send the last lines again when another follower comes or a new master takes over. What
/// was left out is counted in the next piece, which also says whether it begins a line.
class OutputGate {
 public:
  /// Returns the piece to send, cut to what is new; nullopt for none. `full`: the follower's budget
  /// is spent.
  [[nodiscard]] std::optional<Output> pass(const Output& piece, bool full);
  /// Returns empty pieces that count what was left out last, of each stream, when no further piece
  /// will. Once.
  [[nodiscard]] std::vector<Output> rest();

 private:
  struct Position {
    uint64_t next = 0;      ///< Offset after the last byte that was sent or counted.
    uint64_t dropped = 0;   ///< Left out since the last piece that was sent.
    bool amid_line = true;  ///< What was left out last does not end with a newline.
  };
  std::map<std::pair<job::AttemptId, OutputStream>, Position> positions_;
};

}  // namespace muster::wire
