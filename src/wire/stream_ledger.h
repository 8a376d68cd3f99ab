#pragma once

#include "base/result.h"
#include "wire/stream.h"

#include <cstddef>
#include <cstdint>

namespace muster::wire {

/// What each end of a stream takes before it gives credit.
struct StreamWindows {
  size_t here = kStreamWindow;
  size_t there = kStreamWindow;
};

/// What may still be sent in one direction of a stream. A value.
class StreamAllowance {
 public:
  StreamAllowance() = default;
  explicit StreamAllowance(size_t window) : window_(window), left_(window) {}

  [[nodiscard]] size_t window() const { return window_; }
  /// The receiver takes more than was known; never less.
  void widen(size_t window);
  [[nodiscard]] size_t left() const { return left_; }
  /// Returns whether the direction has been closed.
  [[nodiscard]] bool closed() const { return closed_; }
  /// Data goes this way. Corrupt for more than is left, or after the close.
  [[nodiscard]] Status spend(size_t bytes);
  /// The receiver is done with so much. Corrupt for more than it had got.
  [[nodiscard]] Status grant(uint64_t bytes);
  /// Corrupt the second time.
  [[nodiscard]] Status close();

 private:
  size_t window_ = kStreamWindow;
  size_t left_ = kStreamWindow;
  bool closed_ = false;
};

/// One end's account of a stream that is open: what it may send, what it has got, when to give
/// credit. A value: the rules without any mechanism. What comes in is checked; what this end does
/// itself must be right.
class StreamLedger {
 public:
  StreamLedger() = default;
  explicit StreamLedger(StreamWindows windows) : out_(windows.there), in_(windows.here) {}

  /// The other end has said what it takes; before this end has sent anything.
  void widen(size_t window) { out_.widen(window); }
  /// How much data this end may send now; 0 after close().
  [[nodiscard]] size_t sendable() const { return out_.closed() ? 0 : out_.left(); }
  void sent(size_t bytes);
  void close();

  [[nodiscard]] Status received(const StreamData& data) { return in_.spend(data.bytes.size()); }
  [[nodiscard]] Status received(const StreamCredit& credit) { return out_.grant(credit.bytes); }
  [[nodiscard]] Status received(const StreamClosed&) { return in_.close(); }

  /// Received bytes are done with. Returns the credit to give the other end now; 0: not yet, so
  /// that a busy stream has a frame of credit for every quarter of the usual window, or every
  /// eighth of a wide one.
  [[nodiscard]] uint64_t consumed(size_t bytes);

 private:
  StreamAllowance out_;
  StreamAllowance in_;
  size_t owed_ = 0;  ///< Consumed, and not granted again yet.
};

}  // namespace muster::wire
