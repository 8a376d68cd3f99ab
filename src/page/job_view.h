#pragma once

#include "base/result.h"
#include "net/address.h"
#include "rt/async.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// The job as its page shows it. Called on the page's loop; never blocks.
class JobView {
 public:
  virtual ~JobView() = default;
  /// The status document (schema muster.status/1).
  [[nodiscard]] virtual std::string status() const = 0;
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
};

/// A piece of a log.
struct LogPiece {
  uint64_t from = 0;  ///< Where it begins; what stands before was rotated away or not asked for.
  std::string bytes;
  uint64_t next = 0;  ///< For the next read.
};

/// Most that one read returns.
inline constexpr uint64_t kLogPieceMax = 256U << 10;

/// Where the output of tasks can be read.
class LogSource {
 public:
  virtual ~LogSource() = default;
  /// Returns what stands from `from` on, or the last kLogPieceMax bytes without it; empty when
  /// nothing has come. NotFound when nothing of this log is kept.
  [[nodiscard]] virtual rt::Async<Result<LogPiece>> read(LogName log,
                                                         std::optional<uint64_t> from) = 0;
};

}  // namespace muster::page
