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

/// Logs as they come from the agents, where their files lie on other hosts. Only the logs that
/// somebody reads are kept, the last kLogPieceMax bytes of each, and only while somebody reads.
/// Offsets count the bytes of the stream.
class FeedLogs final : public LogSource {
 public:
  struct Handlers {
    /// Asks for all output, its last lines first, also again; or for no more. Called in a turn of
    /// its own.
    std::function<void(bool on)> follow;
    std::function<void()> grown;
  };

  FeedLogs(rt::Loop& loop, Handlers handlers) : loop_(loop), handlers_(std::move(handlers)) {}
  ~FeedLogs() override;
  FeedLogs(const FeedLogs&) = delete;
  FeedLogs& operator=(const FeedLogs&) = delete;

  /// A piece of some log; those that nobody reads, and repeats, are passed over.
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
