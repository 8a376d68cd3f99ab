#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "wire/frame.h"
#include "wire/left_out.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace muster::agent {

/// Sends tasks' output to those who follow it, within a byte budget and without ever holding a task
/// back. What the budget does not allow is dropped and counted; the next piece says how much. The
/// end of a stream always gets through. The log files stay whole.
class OutputFeed {
 public:
  struct Line {
    std::function<void(wire::Output)> send;
    std::function<size_t()> queued_bytes;  ///< Waiting on the line, not yet taken by the network.
  };

  explicit OutputFeed(Line line);

  void follow(bool on);
  [[nodiscard]] bool following() const { return following_; }

  /// Offers bytes that stand at `offset` of a stream, of any length; each piece of them is sent or
  /// dropped on its own.
  void offer(HostTime now, job::AttemptId attempt, wire::OutputStream stream, uint64_t offset,
             std::string_view bytes);
  /// Sends the last bytes of a stream once more, for a follower who has just begun. Does nothing
  /// once the byte budget is spent; the budget of the line is kRepeatQueuedBytesMax here.
  void repeat(HostTime now, wire::Output last);
  /// Ends a stream: what was dropped last is sent after all, as LeftOut::rest() says.
  void finish(job::AttemptId attempt, wire::OutputStream stream, uint64_t size);

  /// Tells the followers of an ended stream of `size` bytes something that is not part of it.
  void remark(job::AttemptId attempt, wire::OutputStream stream, uint64_t size, std::string text);

  static constexpr size_t kPieceBytesMax = 64U << 10;
  /// The budget: at most this much waits on the line, and at most this much a second on average.
  static constexpr size_t kQueuedBytesMax = 512U << 10;
  static constexpr int64_t kBytesPerSecond = 4 << 20;
  /// Larger, since all tasks repeat what they have at once.
  static constexpr size_t kRepeatQueuedBytesMax = 4U << 20;

 private:
  void offer_piece(HostTime now, job::AttemptId attempt, wire::OutputStream stream, uint64_t offset,
                   std::string_view bytes);
  /// Takes `bytes` from the budget; returns false if that is more than is left.
  [[nodiscard]] bool spend(HostTime now, size_t bytes, size_t queued_bytes_max);

  Line line_;
  bool following_ = false;
  HostTime refilled_{};
  int64_t allowance_ = kBytesPerSecond;
  /// What was dropped since the last piece that was sent.
  std::map<std::pair<job::AttemptId, wire::OutputStream>, wire::LeftOut> dropped_;
};

/// Returns the last `lines` lines of `text`.
[[nodiscard]] std::string_view last_lines(std::string_view text, uint32_t lines);

}  // namespace muster::agent
