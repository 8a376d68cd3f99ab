#pragma once

#include "wire/frame.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace muster::master {

/// What somebody gets first who begins to follow while tasks run: of each stream its last lines,
/// which the agents are asked for when they come, and what was written since. A piece that was on
/// its way meanwhile waits for those, as it would hide them: what comes before something that was
/// sent is not sent any more. Whoever owns this gives up after a while.
class FirstOutput {
 public:
  /// Whether anything may wait. Else everything can be sent as it comes.
  [[nodiscard]] bool waits() const { return waits_; }
  /// Takes a piece; returns what can be sent now, in order.
  [[nodiscard]] std::vector<wire::Output> take(wire::Output piece);
  /// Waits no more; returns what was waiting.
  [[nodiscard]] std::vector<wire::Output> give_up();

  /// With more than this it gives up by itself.
  static constexpr size_t kBytesMax = 256U << 10;

 private:
  using Stream = std::pair<job::AttemptId, wire::OutputStream>;

  bool waits_ = true;
  size_t bytes_ = 0;
  std::set<Stream> begun_;
  std::map<Stream, std::vector<wire::Output>> waiting_;  ///< By their offsets.
};

}  // namespace muster::master
