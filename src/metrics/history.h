#pragma once

#include "base/result.h"
#include "metrics/recorder.h"
#include "metrics/series.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::metrics {

/// Puts together what `blocks` (encoded, in any order) have of the wanted series, at the query's
/// step and finer; finer ones are averaged. If two have the same time, the later one counts. Blocks
/// that cannot be read are left out.
class SeriesReader {
 public:
  explicit SeriesReader(Query query) : query_(std::move(query)) {}
  /// The bytes are not needed after the call.
  void add(std::string_view block);
  void add(const Block& block);
  /// Returns how many points there are so far.
  [[nodiscard]] size_t points() const { return points_; }
  /// Returns the series by subject, then metric. Call once.
  [[nodiscard]] std::vector<Series> take();

 private:
  struct Sum {
    double value = 0;
    uint32_t count = 0;
    int64_t last_s = INT64_MIN;  ///< The latest of the finer times in it.
    uint32_t step_s = 0;         ///< Their step: a coarse value gives way to finer ones.
  };
  [[nodiscard]] bool covers(int64_t start_s, int64_t end_s, uint32_t step_s) const;
  void add_column(const std::vector<Subject>& subjects, int64_t start_s, uint32_t step_s,
                  uint32_t times, const Column& column);
  void add_value(std::map<int64_t, Sum>& points, Kind kind, int64_t time_s, uint32_t step_s,
                 double value);

  Query query_;
  std::map<std::pair<Subject, Metric>, std::map<int64_t, Sum>> series_;
  size_t points_ = 0;
};

/// Rings of encoded blocks, one for each of kSteps, within a budget of bytes: with few tasks they
/// reach far back (83 minutes of seconds, a day of tens, a week of minutes), with many less far.
class History {
 public:
  static constexpr size_t kBlocksMax = 1000;  ///< Of one ring: what a query may have to look at.

  explicit History(size_t bytes_max = 12U << 20) : bytes_max_(bytes_max) {}

  /// Takes a complete block; the oldest of its step make room.
  void keep(int64_t end_s, uint32_t step_s, std::string encoded);
  /// Returns the kept blocks of a step that end after `from_s`, oldest first. Valid until the next
  /// keep().
  [[nodiscard]] std::vector<std::string_view> blocks(uint32_t step_s, int64_t from_s) const;
  [[nodiscard]] size_t bytes() const;

 private:
  struct Kept {
    int64_t end_s = 0;
    std::string bytes;
  };
  struct Ring {
    std::deque<Kept> blocks;
    size_t bytes = 0;
  };
  [[nodiscard]] size_t share_of(size_t level) const;

  size_t bytes_max_;
  std::array<Ring, kSteps.size()> rings_;
};

}  // namespace muster::metrics
