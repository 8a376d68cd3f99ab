#include "page/feed_logs.h"

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

/// Longer than the longest wait of a reader.
constexpr Duration kKeepFor = std::chrono::seconds(60);
/// More than people look at; the one that has not been read for longest makes room.
constexpr size_t kLogsMax = 64;
/// The resolution at which output's times of arrival are kept.
constexpr Duration kResolution = std::chrono::milliseconds(50);

using Moment = std::pair<uint64_t, WallTime>;

}  // namespace

FeedLogs::~FeedLogs() {
  loop_.cancel(follow_timer_);
  loop_.cancel(forget_timer_);
}

void FeedLogs::follow(bool on) {
  loop_.cancel(follow_timer_);
  follow_timer_ = loop_.call_after({}, [this, on] { handlers_.follow(on); });
}

void FeedLogs::forget() {
  forget_timer_ = {};
  std::erase_if(kept_, [now = loop_.now()](const auto& kept) {
    return now - kept.second.read_at >= kKeepFor;
  });
  if (kept_.empty()) {
    follow(false);
    return;
  }
  forget_timer_ = loop_.call_after(kKeepFor / 2, [this] { forget(); });
}

void FeedLogs::take(const LogName& log, uint64_t offset, std::string_view bytes) {
  const auto found = kept_.find(log);
  if (found == kept_.end()) {
    return;
  }
  Kept& kept = found->second;
  const uint64_t end = kept.begin + kept.bytes.size();
  if (!kept.bytes.empty() && offset < kept.begin && offset + bytes.size() >= kept.begin &&
      kept.bytes.size() + (kept.begin - offset) <= kLogPieceMax) {
    // The requested last lines, arriving after a piece that was already under way.
    kept.bytes.insert(0, bytes.substr(0, kept.begin - offset));
    kept.begin = offset;
    handlers_.grown();
  }
  if (offset + bytes.size() <= end && !kept.bytes.empty()) {
    return;
  }
  if (kept.bytes.empty() || offset > end) {
    kept.begin = offset;  // The first piece, or one after a gap: what is shown must have no holes.
    kept.bytes.clear();
    kept.times.clear();
  } else {
    bytes.remove_prefix(end - offset);
  }
  note_time(kept, kept.begin + kept.bytes.size());
  kept.bytes += bytes;
  if (kept.bytes.size() > kLogPieceMax) {
    const size_t extra = kept.bytes.size() - kLogPieceMax;
    kept.bytes.erase(0, extra);
    kept.begin += extra;
    const auto after = std::ranges::upper_bound(kept.times, kept.begin, {}, &Moment::first);
    kept.times.erase(kept.times.begin(), after - (after == kept.times.begin() ? 0 : 1));
  }
  handlers_.grown();
}

void FeedLogs::note_time(Kept& kept, uint64_t offset) {
  const WallTime now = loop_.wall_now();
  if (kept.times.empty() || now - kept.times.back().second >= kResolution) {
    kept.times.emplace_back(offset, now);
  }
}

rt::Async<Result<LogPiece>> FeedLogs::read(LogName log, LogWanted wanted) {
  auto found = kept_.find(log);
  if (found == kept_.end()) {
    if (kept_.size() >= kLogsMax) {
      kept_.erase(std::ranges::min_element(kept_, {},
                                           [](const auto& kept) { return kept.second.read_at; }));
    }
    found = kept_.emplace(log, Kept()).first;
    follow(true);
  }
  Kept& kept = found->second;
  kept.read_at = loop_.now();
  if (forget_timer_ == rt::TimerId{}) {
    forget_timer_ = loop_.call_after(kKeepFor / 2, [this] { forget(); });
  }
  const uint64_t end = kept.begin + kept.bytes.size();
  const LogBounds bounds = bounds_of(wanted, kept.begin, end);
  LogPiece piece{.from = bounds.from,
                 .bytes = kept.bytes.substr(bounds.from - kept.begin, bounds.size),
                 .next = 0,
                 .begin = kept.begin,
                 .end = end,
                 .times = kept.times};
  piece.next = piece.from + piece.bytes.size();
  co_return piece;
}

LogBounds bounds_of(const LogWanted& wanted, uint64_t begin, uint64_t end) {
  if (wanted.from) {
    const uint64_t from = *wanted.from > end ? begin : std::max(*wanted.from, begin);
    return {.from = from, .size = wanted.limit};
  }
  const uint64_t stop = std::clamp(wanted.before.value_or(end), begin, end);
  const uint64_t size = std::min(wanted.limit, stop - begin);
  return {.from = stop - size, .size = size};
}

}  // namespace muster::page
