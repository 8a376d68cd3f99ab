#pragma once

#include "rt/async.h"

namespace muster::master {

/// Tells somebody outside what becomes of the job, beside everything else.
class Tracker {
 public:
  virtual ~Tracker() = default;
  /// The job has ended, and what it measured is complete: tells the rest, within a bound.
  [[nodiscard]] virtual rt::Async<> finish() = 0;
};

}  // namespace muster::master
