#pragma once

#include "page/job_view.h"
#include "rt/loop.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::page {

/// Logs as they arrive from the agents, for log files that lie on other hosts. Only logs that
/// somebody reads are kept: the last kLogPieceMax bytes of each, and only while somebody reads.
/// Offsets count the bytes of the stream.
class FeedLogs final : public LogSource {
 public:
  struct Handlers {
    /// Asks for all output, its last lines first (this may be repeated), or for no more. Called
    /// from the event loop.
    std::function<void(bool on)> follow;
    std::function<void()> grown;
  };

  FeedLogs(rt::Loop& loop, Handlers handlers) : loop_(loop), handlers_(std::move(handlers)) {}
  ~FeedLogs() override;
  FeedLogs(const FeedLogs&) = delete;
  FeedLogs& operator=(const FeedLogs&) = delete;

  /// Takes a piece of a log; logs that nobody reads, and repeated pieces, are ignored.
  void take(const LogName& log, uint64_t offset, std::string_view bytes);
  [[nodiscard]] rt::Async<Result<LogPiece>> read(LogName log, LogWanted wanted) override;
  [[nodiscard]] size_t kept() const { return kept_.size(); }

 private:
  struct Kept {
    uint64_t begin = 0;  ///< Offset of the first byte.
    std::string bytes;
    std::vector<std::pair<uint64_t, WallTime>> times;  ///< When they came.
    HostTime read_at{};
  };

  void follow(bool on);
  void forget();
  void note_time(Kept& kept, uint64_t offset);

  rt::Loop& loop_;
  Handlers handlers_;
  std::map<LogName, Kept> kept_;
  rt::TimerId follow_timer_;
  rt::TimerId forget_timer_;
};

}  // namespace muster::page
