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
  /// Reads all of them; none if the folder is missing. What cannot be read is reported by
  /// damages().
  [[nodiscard]] static Result<SampleFiles> read(os::Files& files, const os::Path& folder);

  /// Returns the blocks of the wanted series: seconds as far back as they are kept, minutes before
  /// that. `live`: encoded blocks that a master sent, which are newer. An error of the user's if
  /// that is more than `points_max`.
  [[nodiscard]] Result<std::vector<metrics::Series>> series(const metrics::Query& query,
                                                            const std::vector<std::string>& live,
                                                            size_t points_max) const;
  /// Returns every metric that the files have, by name.
  [[nodiscard]] std::vector<metrics::Metric> names() const;
  /// Returns until when there are points for each second; INT64_MIN if there are none.
  [[nodiscard]] int64_t end_s() const { return end_s_; }
  /// Before this time, series of seconds have one point a minute.
  [[nodiscard]] int64_t minutes_before_s() const;
  [[nodiscard]] const std::vector<std::string>& damages() const { return damages_; }

 private:
  void take(std::string_view content);

  std::vector<std::string> blocks_;  ///< Encoded, all intact.
  int64_t seconds_begin_ = INT64_MAX;
  int64_t end_s_ = INT64_MIN;
  std::vector<std::string> damages_;
};

}  // namespace muster::client
