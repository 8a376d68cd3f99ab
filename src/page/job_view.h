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

/// A program beside a task that serves pages of its own.
struct SideServer {
  net::HostPort server;
  std::string path;  ///< What stands before its addresses: "/0123abc".
};

/// What happened in the job, in order.
struct Events {
  std::string json;   ///< Of each one an object, with commas between; may be "".
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
  /// What was asked for: specification, plan, who, when (schema muster.job/1).
  [[nodiscard]] virtual std::string description() const = 0;
  /// How many events there are, and those from number `from` on, at most `count` of them.
  [[nodiscard]] virtual uint64_t event_count() const = 0;
  [[nodiscard]] virtual Events events(uint64_t from, uint64_t count) const = 0;
  /// Whether the job has ended: nothing changes any more.
  [[nodiscard]] virtual bool ended() const = 0;
  /// How many attempts a task has had; nullopt for no such task.
  [[nodiscard]] virtual std::optional<uint32_t> attempts_of(std::string_view role,
                                                            uint32_t index) const = 0;
  /// Where the page runs that a task has published under that name, its host as Page::Deps::tasks
  /// knows it; nullopt while there is none.
  [[nodiscard]] virtual std::optional<SideServer> endpoint(std::string_view name) const = 0;
  /// Where TensorBoard runs; nullopt while it does not.
  [[nodiscard]] virtual std::optional<SideServer> tensorboard() const = 0;
  /// Whether that attempt may still write.
  [[nodiscard]] virtual bool runs(const LogName& log) const = 0;
  /// The document muster.metrics/1. An error of the user's says that it would be too long.
  [[nodiscard]] virtual Result<std::string> metrics(const MetricsRequest& request) const = 0;
  /// The document muster.metric_names/1: the names that the job has.
  [[nodiscard]] virtual Result<std::string> metric_names() const = 0;
  /// The latest values, in Prometheus' text format; "" for a job that has ended.
  [[nodiscard]] virtual std::string prometheus() const = 0;
};

/// A piece of a log. Offsets count all bytes that the stream ever had.
struct LogPiece {
  uint64_t from = 0;  ///< Where it begins; what stands before was rotated away or not asked for.
  std::string bytes;
  uint64_t next = 0;   ///< For the next read.
  uint64_t begin = 0;  ///< Of what is kept.
  uint64_t end = 0;    ///< Of what has come.
  /// From which byte on was written when, as far as it is known: ascending, the first at or before
  /// `from`.
  std::vector<std::pair<uint64_t, WallTime>> times;
};

/// Most that one read returns where nobody says.
inline constexpr uint64_t kLogPieceMax = 256U << 10;

/// Which part of a log is asked for: what stands from `from` on, or the last that stands before
/// `before`; with neither, the log's last part.
struct LogWanted {
  std::optional<uint64_t> from = std::nullopt;
  std::optional<uint64_t> before = std::nullopt;
  uint64_t limit = kLogPieceMax;
};

/// The same, of a log that holds the bytes [begin, end). An offset beyond the end is of another
/// log, that was there before: all of this one is meant.
struct LogBounds {
  uint64_t from = 0;
  uint64_t size = 0;
};
[[nodiscard]] LogBounds bounds_of(const LogWanted& wanted, uint64_t begin, uint64_t end);

/// Where the output of tasks can be read.
class LogSource {
 public:
  virtual ~LogSource() = default;
  /// Returns what is asked for, as far as it is kept; empty when nothing has come. NotFound when
  /// nothing of this log is kept.
  [[nodiscard]] virtual rt::Async<Result<LogPiece>> read(LogName log, LogWanted wanted) = 0;
};

}  // namespace muster::page
