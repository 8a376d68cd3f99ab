#pragma once

#include "base/result.h"
#include "job/ids.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::eventlog {

/// The name of a segment in messages, and of its file on a local disk: "000001.log".
[[nodiscard]] std::string segment_name(job::Epoch epoch);
/// Returns the epoch of such a name; nullopt for every other text.
[[nodiscard]] std::optional<job::Epoch> parse_segment_name(std::string_view name);

/// Where the segments of one job's log are kept: a local folder, HDFS later. One segment per epoch,
/// written by one master, append only.
class SegmentStore {
 public:
  virtual ~SegmentStore() = default;

  /// Lists the epochs that have a segment, ascending.
  virtual Result<std::vector<job::Epoch>> list() = 0;
  /// Creates the segment of `epoch`; AlreadyExists if there is one: two masters of one epoch cannot
  /// both write.
  virtual Status create(job::Epoch epoch) = 0;
  /// Appends to the segment created by this object. `done` is called once, on the loop and never
  /// inside this call, when the bytes survive the process (local: write(2) returned; HDFS: hflush),
  /// or with the error. Calls are queued in order; after an error the caller may append the same
  /// bytes again.
  virtual void append(std::string bytes, std::function<void(Status)> done) = 0;
  /// Reads a whole segment as far as it is visible now.
  virtual Result<std::string> read(job::Epoch epoch) = 0;
};

}  // namespace muster::eventlog
