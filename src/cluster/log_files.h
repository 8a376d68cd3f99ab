#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::cluster {

/// One stream of one attempt in a job's logs folder: `<role>-<index>.<attempt>.<stdout|stderr>`,
/// with `.1`, `.2`, ... appended for older parts.
struct LogStream {
  std::string role;
  uint32_t index = 0;
  uint32_t attempt = 0;
  bool is_err = false;
  std::filesystem::path path;  ///< Of the newest part.
  uint32_t parts = 1;          ///< The newest and those that rotated away.
};

/// A role, or one task of it.
struct TaskSelector {
  std::string role;
  std::optional<uint32_t> index;
};

/// Which streams somebody wants to see; empty and nullopt mean all.
struct LogFilter {
  std::vector<TaskSelector> tasks;
  std::optional<uint32_t> attempt;
  std::optional<bool> is_err;
  [[nodiscard]] bool admits(const LogStream& stream) const;
};

/// Lists the streams of a job, ordered by role (in the order of `roles`), index, attempt, stdout
/// first. Files with other names are skipped. A folder that is missing holds none.
[[nodiscard]] Result<std::vector<LogStream>> list_logs(os::Files& files,
                                                       const std::filesystem::path& folder,
                                                       const std::vector<std::string>& roles);

/// Parses one file's name; nullopt if it is not a stream or a rotated part of one.
[[nodiscard]] std::optional<LogStream> parse_log_name(std::string_view name);

/// A piece of a stream, and its offset from the stream's beginning.
struct LogRange {
  uint64_t offset = 0;
  std::string bytes;
};

/// Reads at most `limit` bytes of the stream whose newest part is `newest`, from `offset` on, which
/// counts everything that the stream ever held; if that has rotated away, from the first byte still
/// kept. Empty at the present end, and for a stream that does not exist. May be called while the
/// stream grows and rotates.
[[nodiscard]] Result<LogRange> read_log_range(os::Files& files, const std::filesystem::path& newest,
                                              uint64_t offset, uint64_t limit);

/// Which bytes of a stream its files hold now, as offsets from the stream's beginning.
struct LogExtent {
  uint64_t begin = 0;  ///< Earlier bytes have rotated away.
  uint64_t end = 0;
};
[[nodiscard]] LogExtent extent_of_log(os::Files& files, const std::filesystem::path& newest);

/// When the bytes of a stream were written, according to its index: to about a tenth of a second,
/// and to a millisecond where an attempt switched from one of its streams to the other.
class LogTimes {
 public:
  /// A stream without an index has no times.
  [[nodiscard]] static LogTimes read(os::Files& files, const LogStream& stream);

  /// Returns when the byte at `offset`, counted from the stream's beginning, was written; nullopt
  /// if that is unknown.
  [[nodiscard]] std::optional<WallTime> at(uint64_t offset) const;
  /// Returns the times known for the bytes [from, to), each with the offset from which it applies;
  /// ascending, the first at or before `from` if that is known.
  [[nodiscard]] std::vector<std::pair<uint64_t, WallTime>> between(uint64_t from,
                                                                   uint64_t to) const;
  /// Returns whether it covers later bytes, too; otherwise, for a growing stream, it may be out of
  /// date.
  [[nodiscard]] bool reaches_beyond(uint64_t offset) const {
    return !begins_.empty() && begins_.rbegin()->first > offset;
  }

 private:
  std::map<uint64_t, WallTime> begins_;
};

/// Reads one stream from its oldest part on, in pieces, and continues as it grows. Survives a
/// rotation between two reads: bytes that have rotated away for good meanwhile are skipped.
class LogCursor {
 public:
  LogCursor(os::Files& files, LogStream stream) : files_(files), stream_(std::move(stream)) {}

  /// Skips what was written before `since`, as far as the stream's index knows (about a tenth of a
  /// second).
  void skip_to(WallTime since);
  /// Returns the next bytes, at most 256 KiB, and their offset; empty if there are none now.
  [[nodiscard]] Result<LogRange> read();
  [[nodiscard]] const LogStream& stream() const { return stream_; }

 private:
  os::Files& files_;
  LogStream stream_;
  uint64_t next_ = 0;  ///< Offset after what was read.
};

}  // namespace muster::cluster
