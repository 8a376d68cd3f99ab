#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// Measures whether what a program prints is new or a repetition: a program that retries the same
/// thing for ever, or one whose thread prints that it is alive, prints without making progress. A
/// line is old if one of the last kRemembered new lines was the same apart from dates and times or,
/// if it mentions a failure or waiting, apart from all numbers. Cheap: beyond kReadMax bytes
/// between two looks it assumes the rest to be like what was read. A value.
class OutputNews {
 public:
  static constexpr size_t kRemembered = 64;
  static constexpr size_t kReadMax = 64U << 10;
  static constexpr uint64_t kCountedMax = 4;

  /// Takes the next bytes of one of the streams, 0 or 1.
  void take(size_t stream, std::string_view bytes);
  /// Returns how many new lines there were so far; at most kCountedMax are counted between two
  /// looks. A line that keeps growing counts as new as long as no line ends.
  [[nodiscard]] uint64_t look();

 private:
  void take_line(std::string_view line);

  std::array<std::string, 2> rests_;  ///< Lines that have not ended yet.
  std::vector<size_t> remembered_;    ///< Hashes of lines.
  size_t oldest_ = 0;                 ///< The next to be forgotten.
  size_t read_ = 0;                   ///< Bytes since the last look.
  bool grown_ = false;                ///< Since the last look bytes came,
  bool ended_ = false;                ///< lines came to their ends,
  uint64_t new_ = 0;                  ///< and so many of them were new.
  uint64_t news_ = 0;
};

/// Returns the part of a line that is compared: without dates and times, and without any number if
/// it mentions a failure or waiting.
[[nodiscard]] std::string comparable(std::string_view line);

}  // namespace muster::agent
