#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "job/ids.h"

namespace muster::eventlog {

/// Where the segments of one job's log are kept: a local folder, HDFS later. One segment per epoch, written by one
/// master, append only.
class SegmentStore {
 public:
  virtual ~SegmentStore() = default;

  /// Lists the epochs that have a segment, ascending.
  virtual Result<std::vector<job::Epoch>> list() = 0;
  /// Creates the segment of `epoch`; AlreadyExists if there is one: two masters of one epoch cannot both write.
  virtual Status create(job::Epoch epoch) = 0;
  /// Appends to the segment created by this object. `done` is called once, on the loop and never inside this call, when
  /// the bytes survive the process (local: write(2) returned; HDFS: hflush), or with the error. Calls are queued
  /// in order; after an error the caller may append the same bytes again.
  virtual void append(std::string bytes, std::function<void(Status)> done) = 0;
  /// Reads a whole segment as far as it is visible now.
  virtual Result<std::string> read(job::Epoch epoch) = 0;
};

}  // namespace muster::eventlog
