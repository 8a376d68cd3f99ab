#pragma once

#include "wire/frame.h"
#include "wire/left_out.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::wire {

/// What one reader of tasks' output has received, on both sides of a connection. Nothing passes
/// twice, although agents send the last lines again when another follower comes or a new master
/// takes over. What was left out is counted in the next piece, which also says whether it begins a
/// line.
class OutputGate {
 public:
  /// Returns the piece to send, cut to what is new; nullopt for none. `full`: the follower's budget
  /// is spent.
  [[nodiscard]] std::optional<Output> pass(const Output& piece, bool full);
  /// Offset after the last byte of a stream that was sent or counted; 0 before the first.
  [[nodiscard]] uint64_t next(job::AttemptId attempt, OutputStream stream) const;
  /// Returns for each stream of which something was left out since the last piece how it ends, when
  /// no further piece will come: its last lines (of up to kKeptBytesMax in all streams), and the
  /// count of the rest. Once.
  [[nodiscard]] std::vector<Output> rest();

  static constexpr size_t kKeptBytesMax = 1U << 20;

 private:
  struct Position {
    uint64_t next = 0;  ///< Offset after the last byte that was sent or counted.
    LeftOut left_out;   ///< Since the last piece that was sent.
  };
  void leave_out(Position& position, uint64_t unseen, std::string_view bytes);

  std::map<std::pair<job::AttemptId, OutputStream>, Position> positions_;
  size_t kept_ = 0;  ///< Of what was left out, in all streams.
};

}  // namespace muster::wire
