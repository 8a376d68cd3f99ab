#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/files.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {

/// One stream of one attempt as it lies in a job's logs folder:
/// `<role>-<index>.<attempt>.<stdout|stderr>`, older parts with `.1`, `.2`, ... behind it.
struct LogStream {
  std::string role;
  uint32_t index = 0;
  uint32_t attempt = 0;
  bool is_err = false;
  std::filesystem::path path;  ///< Of the newest part.
  uint32_t parts = 1;          ///< The newest and those that rotated away.
};

/// Which streams somebody wants to see; empty and nullopt mean all.
struct LogFilter {
  std::string role;
  std::optional<uint32_t> index;
  std::optional<uint32_t> attempt;
  std::optional<bool> is_err;
  [[nodiscard]] bool admits(const LogStream& stream) const;
};

/// Lists the streams of a job, ordered by role (in the order of `roles`), index, attempt, stdout
/// first. Files with other names are passed over. A folder that is missing holds none.
[[nodiscard]] Result<std::vector<LogStream>> list_logs(os::Files& files,
                                                       const std::filesystem::path& folder,
                                                       const std::vector<std::string>& roles);

/// Parses one file's name; nullopt if it is no stream or a part that rotated away.
[[nodiscard]] std::optional<LogStream> parse_log_name(std::string_view name);

/// Reads one stream from its oldest part on, in pieces, and goes on when it grows. Survives a
/// rotation between two reads: bytes that rotated away for good meanwhile are skipped.
class LogCursor {
 public:
  LogCursor(os::Files& files, LogStream stream);

  /// Skips what was written before `since`, as far as the stream's index tells (about a tenth of a
  /// second).
  void skip_to(WallTime since);
  /// Returns the next bytes, at most 256 KiB; empty when there are none now.
  [[nodiscard]] Result<std::string> read();
  [[nodiscard]] const LogStream& stream() const { return stream_; }

 private:
  [[nodiscard]] std::filesystem::path part(uint32_t number) const;
  [[nodiscard]] uint64_t size_of(uint32_t number) const;

  os::Files& files_;
  LogStream stream_;
  uint32_t part_;        ///< The part being read: 0 is the newest.
  uint64_t offset_ = 0;  ///< Within the part.
};

}  // namespace muster::client
