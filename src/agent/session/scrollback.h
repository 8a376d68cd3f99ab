#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace muster::agent {

/// The end of what a shell has written, addressed by position in all it has written. A value.
class Scrollback {
 public:
  /// How much is kept at least, once that much was written.
  static constexpr size_t kBytesMin = 1U << 20;

  void append(std::string_view bytes);

  /// Position of the first byte kept.
  [[nodiscard]] uint64_t begin() const { return begin_; }
  /// Position of the next byte to come.
  [[nodiscard]] uint64_t end() const { return end_; }
  /// Returns some of what is kept from `position` on, at most `bytes_max`; nothing only at the end.
  /// `position` is from begin() to end(). The view is valid until the next append.
  [[nodiscard]] std::string_view read(uint64_t position, size_t bytes_max) const;
  /// Returns the first position from `position` on where a line begins; `position` if none does.
  [[nodiscard]] uint64_t line_from(uint64_t position) const;

 private:
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
  std::deque<std::string> pieces_;
};

}  // namespace muster::agent
