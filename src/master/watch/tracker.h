#pragma once

#include "rt/async.h"

namespace muster::master {

/// Reports the job's progress to an outside service, independently of everything else.
class Tracker {
 public:
  virtual ~Tracker() = default;
  /// The job has ended, and its measurements are complete: reports the rest, within a bound.
  [[nodiscard]] virtual rt::Async<> finish() = 0;
};

}  // namespace muster::master
