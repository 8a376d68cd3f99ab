#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// Tells whether what a program prints is new, or what it has said before: a program that tries the
/// same thing again for ever, or that a thread of its own calls alive, prints and does not get on.
/// A line is old if one of the last kRemembered new ones was the same but for dates and times or,
/// where it speaks of a failure or of waiting, for all numbers. Costs little: beyond kReadMax bytes
/// between two looks it assumes the rest to be like what was read. A value.
class OutputNews {
 public:
  static constexpr size_t kRemembered = 64;
  static constexpr size_t kReadMax = 64U << 10;
  static constexpr uint64_t kCountedMax = 4;

  /// Takes the next bytes of one of the streams, 0 or 1.
  void take(size_t stream, std::string_view bytes);
  /// Returns how many new lines there were so far; between two looks no more than kCountedMax
  /// count. A line that grows is new while none comes to its end.
  [[nodiscard]] uint64_t look();

 private:
  void take_line(std::string_view line);

  std::array<std::string, 2> rests_;  ///< Of lines that are not at their ends.
  std::vector<size_t> remembered_;    ///< Hashes of lines.
  size_t oldest_ = 0;                 ///< The next to be forgotten.
  size_t read_ = 0;                   ///< Bytes since the last look.
  bool grown_ = false;                ///< Since the last look bytes came,
  bool ended_ = false;                ///< lines came to their ends,
  uint64_t new_ = 0;                  ///< and so many of them were new.
  uint64_t news_ = 0;
};

/// What of a line is compared: without dates and times; without any number where it speaks of a
/// failure or of waiting.
[[nodiscard]] std::string comparable(std::string_view line);

}  // namespace muster::agent
