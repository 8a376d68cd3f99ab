#pragma once

#include "base/result.h"
#include "base/time.h"
#include "client/follow/console.h"
#include "cluster/log_files.h"
#include "cluster/outputs.h"
#include "os/file/files.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::client {

struct LogQuery {
  std::optional<WallTime> since;
  std::string grep;              ///< RE2; empty: every line.
  std::optional<uint32_t> tail;  ///< Only this many last lines of each task.
  bool timestamps = false;       ///< Show when each line was written.
  bool json = false;             ///< One object a line: task, attempt, stream, time, line.
};

/// Shows what a job's tasks wrote, once or repeatedly as it grows: task by task, with the lines of
/// both streams in the order in which they were written, as far as their times tell. Lines are
/// whole, prefixed with the task's name. stderr lines also go to standard output: the result is one
/// text that can be piped.
class LogViewer {
 public:
  /// All must outlive it. Fails for a pattern that is not an RE2 expression.
  static Result<std::unique_ptr<LogViewer>> make(os::Files& files, Console& console,
                                                 cluster::Outputs& outputs, LogQuery query);
  ~LogViewer();

  /// Shows everything that is new since the last call, including new files. `last`: nothing more
  /// will be written, so unfinished lines are shown as well.
  [[nodiscard]] Status show_new(bool last = false);

 private:
  struct View;
  struct Attempt;
  struct Task;
  struct Pattern;
  LogViewer(os::Files& files, Console& console, cluster::Outputs& outputs, LogQuery query,
            std::unique_ptr<Pattern> pattern);
  Status find_streams();
  /// Makes sure that the next line of a stream is at hand, if it has been written.
  Status fill(View& view);
  Status show_new_of(Task& task, Attempt& attempt, bool last);
  void take(Task& task, const View& view, std::string_view line);
  void show(std::string_view line);
  [[nodiscard]] std::string render(const View& view, std::string_view line) const;

  os::Files& files_;
  Console& console_;
  cluster::Outputs& outputs_;
  LogQuery query_;
  std::unique_ptr<Pattern> pattern_;
  std::set<std::filesystem::path> known_;
  std::vector<std::unique_ptr<Task>> tasks_;  ///< In the order of the streams.
};

/// Parses `--since`: a duration back from `now` ("10m") or an ISO 8601 time in UTC
/// ("2026-11-21T09:30:00Z").
[[nodiscard]] Result<WallTime> parse_since(std::string_view text, WallTime now);

}  // namespace muster::client
