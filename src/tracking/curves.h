#pragma once

#include "metrics/series.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tracking {

/// One value of a curve.
struct CurvePoint {
  std::string key;
  double value = 0;
  int64_t time_s = 0;
  int64_t step = 0;
  bool operator==(const CurvePoint&) const = default;
};

/// Turns what programs reported into curves: `user.loss` of the job's first task becomes `loss`,
/// that of others `worker.1/loss`, and `user.step` the steps of both.
class Curves {
 public:
  /// `first`: the task whose curves have bare names: "chief:0".
  explicit Curves(std::string first) : first_(std::move(first)) {}

  /// Series that begin with `user.`, each call with later times than the last one.
  [[nodiscard]] std::vector<CurvePoint> take(const std::vector<metrics::Series>& series);

 private:
  [[nodiscard]] std::string key_of(const metrics::Series& series) const;

  std::string first_;
  std::map<std::string, double> steps_;  ///< The last known, by task.
};

/// Returns up to which second, exclusive, all values have arrived at `now_s`, in whole steps of
/// `step_s` seconds (1 or more): agents gather them for a second, a heartbeat brings them, and both
/// may be late on a busy host. `over`: the job has ended, and nothing more comes.
[[nodiscard]] int64_t settled_until(int64_t now_s, uint32_t step_s, bool over);

/// Returns a name that MLflow accepts: other characters become `_`; cut to 250 bytes.
[[nodiscard]] std::string plain_key(std::string_view name);

}  // namespace muster::tracking
