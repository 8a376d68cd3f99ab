#pragma once

#include "base/result.h"
#include "metrics/series.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::metrics {

/// The values of one metric in a block: those of one subject are contiguous, in order of time.
struct Column {
  Metric metric;
  std::vector<double> values;  ///< One for each subject and time; 0 if there is none.
  std::vector<bool> present;   ///< As many.
  bool operator==(const Column&) const = default;
};

/// Values of many series over a few times. `values[s * times + t]` is that of subjects[s] at
/// start_s + t * step_s.
struct Block {
  int64_t start_s = 0;
  uint32_t step_s = 1;
  uint32_t times = 0;
  std::vector<Subject> subjects;
  std::vector<Column> columns;
  bool operator==(const Block&) const = default;

  [[nodiscard]] int64_t end_s() const { return start_s + int64_t{times} * step_s; }
};

/// Limits on what a block may hold: encoders cut nothing, so their callers must stay below;
/// decoders refuse more.
inline constexpr uint32_t kTimesMax = 600;
inline constexpr uint32_t kStepMax = 3600;
inline constexpr size_t kSubjectsMax = 100'000;
inline constexpr size_t kColumnsMax = 2'000;
inline constexpr size_t kCellsMax = 8U << 20;    ///< Subjects times times.
inline constexpr size_t kValuesMax = 32U << 20;  ///< Cells of all columns.
inline constexpr size_t kBlockBytesMax = 64U << 20;

/// A block begins with this, then its version, and the length and CRC-32C of what follows.
inline constexpr std::string_view kBlockMagic = "\x89MSB";
inline constexpr uint8_t kBlockVersion = 1;
inline constexpr size_t kBlockHeadBytes = 16;

/// Encodes a block, its frame included. The same block gives the same bytes.
[[nodiscard]] std::string encode(const Block& block);

/// What precedes the columns of an encoded block, and the columns themselves, still encoded, so
/// that a reader of one column decodes no other. The bytes must outlive it.
class BlockView {
 public:
  /// Reads one whole encoded block. Corrupt for bytes that are not a block, or are cut off or
  /// damaged; Unsupported for another version. No byte is trusted.
  [[nodiscard]] static Result<BlockView> open(std::string_view bytes);

  [[nodiscard]] int64_t start_s() const { return start_s_; }
  [[nodiscard]] uint32_t step_s() const { return step_s_; }
  [[nodiscard]] uint32_t times() const { return times_; }
  [[nodiscard]] const std::vector<Subject>& subjects() const { return subjects_; }
  [[nodiscard]] size_t columns() const { return columns_.size(); }
  [[nodiscard]] const Metric& metric(size_t column) const { return columns_[column].metric; }
  /// Decodes one column.
  [[nodiscard]] Result<Column> column(size_t column) const;

 private:
  struct Packed {
    Metric metric;
    std::string_view bytes;
    size_t raw_bytes = 0;  ///< 0: not compressed.
  };

  int64_t start_s_ = 0;
  uint32_t step_s_ = 1;
  uint32_t times_ = 0;
  std::vector<Subject> subjects_;
  std::vector<Packed> columns_;
};

/// Decodes a whole block.
[[nodiscard]] Result<Block> decode(std::string_view bytes);

}  // namespace muster::metrics
