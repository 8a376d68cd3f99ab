#pragma once

#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::wire {

/// What a reader of a stream was too slow for since the last piece that it received: how much that
/// is, and its end. It receives the end when the stream ends, since a log on a full disk may not
/// have it.
class LeftOut {
 public:
  /// At most this much of the end is kept.
  static constexpr size_t kLastBytes = 8U << 10;

  /// Adds `bytes`, which stand `unseen` bytes after the last ones, and keeps at most the last
  /// `keep` (no more than kLastBytes) of what is left out.
  void add(uint64_t unseen, std::string_view bytes, size_t keep = kLastBytes);
  /// How much was left out.
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  /// How much of it is kept.
  [[nodiscard]] size_t kept() const { return last_.size(); }
  /// Returns whether it ends a line.
  [[nodiscard]] bool ends_line() const { return ends_line_; }
  /// Returns the piece that ends a stream at `end`: what is kept, from the beginning of a line if
  /// one begins in it, and the count of the rest. Only if bytes() is not 0.
  [[nodiscard]] Output rest(job::AttemptId attempt, OutputStream stream, uint64_t end) const;

 private:
  uint64_t bytes_ = 0;
  std::string last_;
  bool ends_line_ = false;
};

}  // namespace muster::wire
