#pragma once

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "rt/async.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::page {

/// One stream of one attempt of one task.
struct LogName {
  std::string role;
  uint32_t index = 0;
  uint32_t attempt = 0;  ///< Counted from 1.
  bool is_err = false;
  bool operator==(const LogName&) const = default;
  auto operator<=>(const LogName&) const = default;
};

/// A program beside a task that serves its own pages.
struct SideServer {
  net::HostPort server;
  std::string path;  ///< The prefix of its addresses: "/0123abc".
};

/// What happened in the job, in order.
struct Events {
  std::string json;   ///< One object each, separated by commas; may be "".
  uint64_t next = 0;  ///< Number of the one after these.
};

/// Which of the job's metrics somebody wants to see.
struct MetricsRequest {
  std::vector<std::string> tasks;  ///< "worker:0", "worker", "@node7"; empty: all.
  std::vector<std::string> names;  ///< "container.cpu.usage", "user." for all of these; empty: all.
  int64_t from_s = 0;              ///< Since 1970 UTC.
  uint32_t step_s = 1;             ///< 1, 10 or 60.
};

/// The job as its page shows it. Called on the page's loop; never blocks.
class JobView {
 public:
  virtual ~JobView() = default;
  /// The status document (schema muster.status/1).
  [[nodiscard]] virtual std::string status() const = 0;
  /// Returns what was submitted: specification, plan, who, when (schema muster.job/1).
  [[nodiscard]] virtual std::string description() const = 0;
  /// Returns how many events there are, and those from number `from` on, at most `count` of them.
  [[nodiscard]] virtual uint64_t event_count() const = 0;
  [[nodiscard]] virtual Events events(uint64_t from, uint64_t count) const = 0;
  /// Returns whether the job has ended, so that nothing changes any more.
  [[nodiscard]] virtual bool ended() const = 0;
  /// Returns whether the job is about to end: its tasks are over, or are being stopped.
  [[nodiscard]] virtual bool stopping() const = 0;
  /// Returns how many attempts a task has had; nullopt if there is no such task.
  [[nodiscard]] virtual std::optional<uint32_t> attempts_of(std::string_view role,
                                                            uint32_t index) const = 0;
  /// Returns where the page that a task has published under that name is served; its host is as
  /// Page::Deps::tasks knows it. nullopt if there is none.
  [[nodiscard]] virtual std::optional<SideServer> endpoint(std::string_view name) const = 0;
  /// Returns where TensorBoard runs; nullopt while it does not.
  [[nodiscard]] virtual std::optional<SideServer> tensorboard() const = 0;
  /// Returns whether that attempt may still write.
  [[nodiscard]] virtual bool runs(const LogName& log) const = 0;
  /// Returns the document muster.metrics/1. An error of the user's says that it would be too long.
  [[nodiscard]] virtual Result<std::string> metrics(const MetricsRequest& request) const = 0;
  /// Returns the document muster.metric_names/1: the names that the job has.
  [[nodiscard]] virtual Result<std::string> metric_names() const = 0;
  /// Returns the latest values, in Prometheus' text format; "" for a job that has ended.
  [[nodiscard]] virtual std::string prometheus() const = 0;
};

/// A piece of a log. Offsets count all bytes that the stream ever had.
struct LogPiece {
  uint64_t from = 0;  ///< Where it begins; earlier bytes were rotated away or not wanted.
  std::string bytes;
  uint64_t next = 0;   ///< Where the next read begins.
  uint64_t begin = 0;  ///< Where the kept bytes begin.
  uint64_t end = 0;    ///< Where the bytes received so far end.
  /// When the bytes from which offset on were written, as far as known: ascending, the first at or
  /// before `from`.
  std::vector<std::pair<uint64_t, WallTime>> times;
};

/// The most that one read returns if no limit is given.
inline constexpr uint64_t kLogPieceMax = 256U << 10;

/// Which part of a log is asked for: what stands from `from` on, or the last part before `before`;
/// with neither, the log's last part.
struct LogWanted {
  std::optional<uint64_t> from = std::nullopt;
  std::optional<uint64_t> before = std::nullopt;
  uint64_t limit = kLogPieceMax;
};

/// The same, for a log that holds the bytes [begin, end). An offset beyond the end belongs to an
/// earlier log that has been replaced; it means all of this one.
struct LogBounds {
  uint64_t from = 0;
  uint64_t size = 0;
};
[[nodiscard]] LogBounds bounds_of(const LogWanted& wanted, uint64_t begin, uint64_t end);

/// Where the output of tasks can be read.
class LogSource {
 public:
  virtual ~LogSource() = default;
  /// Returns what is asked for, as far as it is kept; empty if nothing has come yet. NotFound if
  /// nothing of this log is kept.
  [[nodiscard]] virtual rt::Async<Result<LogPiece>> read(LogName log, LogWanted wanted) = 0;
};

}  // namespace muster::page
