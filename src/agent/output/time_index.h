#pragma once

#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

/// When which bytes of an output log were written, for `muster logs --since`: the file LOG.times,
/// lines "OFFSET MICROSECONDS" (since 1970), OFFSET counting over all parts the log ever had. A
/// line that begins a part ends with " part", so that readers know which bytes rotated away.
///
/// At most a line each kResolution, or kTurnResolution where an attempt turned from its other
/// stream to this one, so that the lines of both can be put in order; and at most about kEntriesMax
/// lines: beyond that the older half of what is still held gets coarser. It helps readers and
/// nothing depends on it: what the disk does not take is written with the next line. For one
/// thread.
class TimeIndex {
 public:
  TimeIndex(os::Files& files, std::filesystem::path path);

  /// Notes that bytes from `offset` on are about to be written, at `at`. `turned`: the attempt's
  /// previous bytes went to its other stream.
  void note(uint64_t offset, WallTime at, bool turned);
  /// A new part begins at `offset`; the log holds the `parts` newest parts, this one included.
  void begin_part(uint64_t offset, WallTime at, uint32_t parts);

  static constexpr Duration kResolution = std::chrono::milliseconds(100);
  static constexpr Duration kTurnResolution = std::chrono::milliseconds(1);
  static constexpr size_t kEntriesMax = 4096;

 private:
  struct Entry {
    uint64_t offset = 0;
    WallTime at{};
    bool begins_part = false;
  };
  void add(Entry entry);
  void thin();
  [[nodiscard]] static std::string line_of(const Entry& entry);

  os::Files& files_;
  std::filesystem::path path_;
  std::vector<Entry> entries_;
  std::unique_ptr<os::AppendFile> file_;  ///< nullptr: the whole file has to be written.
};

}  // namespace muster::agent
