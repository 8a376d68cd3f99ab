#pragma once

#include "base/result.h"
#include "metrics/series.h"
#include "os/file/files.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// The sample files of one job, as they lie in a folder here.
class SampleFiles {
 public:
  /// Reads all of them; none where the folder is missing. What cannot be read is told by damages().
  [[nodiscard]] static Result<SampleFiles> read(os::Files& files, const os::Path& folder);

  /// The blocks of the wanted series: seconds as far back as they are kept, minutes before. `live`:
  /// encoded blocks that a master sent, which are newer. An error of the user's when that is more
  /// than `points_max`.
  [[nodiscard]] Result<std::vector<metrics::Series>> series(const metrics::Query& query,
                                                            const std::vector<std::string>& live,
                                                            size_t points_max) const;
  /// Every metric that the files have, by name.
  [[nodiscard]] std::vector<metrics::Metric> names() const;
  /// Until when there are seconds; INT64_MIN if there are none.
  [[nodiscard]] int64_t end_s() const { return end_s_; }
  /// Before that time, series of seconds have one point a minute.
  [[nodiscard]] int64_t minutes_before_s() const;
  [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

 private:
  void take(std::string content);

  std::vector<std::string> blocks_;  ///< Encoded, all intact.
  int64_t seconds_begin_ = INT64_MAX;
  int64_t end_s_ = INT64_MIN;
  std::vector<std::string> damages_;
};

}  // namespace muster::client
