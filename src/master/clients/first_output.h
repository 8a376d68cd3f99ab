#pragma once

#include "wire/frame.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace muster::master {

/// What a client that begins to follow while tasks run gets first: the last lines of each stream,
/// which the agents are asked for, and what was written since. A piece that arrives meanwhile waits
/// for those lines, since nothing from before an already sent piece is sent any more. The owner
/// gives up waiting after a while.
class FirstOutput {
 public:
  /// Returns whether pieces may have to wait; if not, everything can be sent as it arrives.
  [[nodiscard]] bool waits() const { return waits_; }
  /// Takes a piece; returns what can be sent now, in order.
  [[nodiscard]] std::vector<wire::Output> take(wire::Output piece);
  /// Stops waiting; returns what was waiting.
  [[nodiscard]] std::vector<wire::Output> give_up();

  /// Beyond this it gives up on its own.
  static constexpr size_t kBytesMax = 256U << 10;

 private:
  using Stream = std::pair<job::AttemptId, wire::OutputStream>;

  bool waits_ = true;
  size_t bytes_ = 0;
  std::set<Stream> begun_;
  std::map<Stream, std::vector<wire::Output>> waiting_;  ///< By their offsets.
};

}  // namespace muster::master
