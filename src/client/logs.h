#pragma once

#include "base/result.h"
#include "base/time.h"
#include "client/console.h"
#include "client/log_files.h"
#include "os/files.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::client {

struct LogQuery {
  LogFilter filter;
  std::optional<WallTime> since;
  std::string grep;              ///< RE2; empty: every line.
  std::optional<uint32_t> tail;  ///< Only so many last lines of each stream.
  bool json = false;             ///< One object a line: task, attempt, stream, line.
};

/// Shows what a job's tasks wrote, from their files: once, or again and again as they grow. Lines
/// come whole, with the task's name before them. stderr lines go to standard output, too: it is one
/// result, to be piped.
class LogViewer {
 public:
  /// `roles`: the job's roles in order. Fails for a pattern that is no RE2 expression.
  static Result<std::unique_ptr<LogViewer>> make(os::Files& files, Console& console,
                                                 std::filesystem::path folder,
                                                 std::vector<std::string> roles, LogQuery query);
  ~LogViewer();

  /// Shows everything that is new since the last call, in new files too.
  [[nodiscard]] Status show_new();
  /// Shows lines that never got their newline. At the end.
  void finish();
  /// Streams found so far that the filter admits.
  [[nodiscard]] size_t streams() const { return views_.size(); }

 private:
  struct View;
  struct Pattern;
  LogViewer(os::Files& files, Console& console, std::filesystem::path folder,
            std::vector<std::string> roles, LogQuery query, std::unique_ptr<Pattern> pattern);
  Status find_streams();
  void take(View& view, std::string_view bytes);
  void show(const View& view, std::string_view line);

  os::Files& files_;
  Console& console_;
  std::filesystem::path folder_;
  std::vector<std::string> roles_;
  LogQuery query_;
  std::unique_ptr<Pattern> pattern_;
  std::set<std::filesystem::path> known_;
  std::vector<std::unique_ptr<View>> views_;
};

/// Parses `--since`: a duration back from `now` ("10m") or an ISO 8601 time in UTC
/// ("2026-11-21T09:30:00Z").
[[nodiscard]] Result<WallTime> parse_since(std::string_view text, WallTime now);

}  // namespace muster::client
