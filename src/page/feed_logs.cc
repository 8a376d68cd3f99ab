#include "page/feed_logs.h"

#include <algorithm>
#include <utility>

namespace muster::page {
namespace {

/// Longer than the longest wait of a reader.
constexpr Duration kKeepFor = std::chrono::seconds(60);
/// More than people look at; the one that was read least lately makes room.
constexpr size_t kLogsMax = 64;

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
  if (offset + bytes.size() <= end && !kept.bytes.empty()) {
    return;
  }
  if (kept.bytes.empty() || offset > end) {
    kept.begin = offset;  // The first, or some were left out: what is shown has no holes.
    kept.bytes.clear();
  } else {
    bytes.remove_prefix(end - offset);
  }
  kept.bytes += bytes;
  if (kept.bytes.size() > kLogPieceMax) {
    const size_t extra = kept.bytes.size() - kLogPieceMax;
    kept.bytes.erase(0, extra);
    kept.begin += extra;
  }
  handlers_.grown();
}

rt::Async<Result<LogPiece>> FeedLogs::read(LogName log, std::optional<uint64_t> from) {
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
  // An offset beyond the end is of another master's time, or of what was left out.
  const uint64_t wanted = from.value_or(kept.begin);
  const uint64_t begin =
      wanted > end && !kept.bytes.empty() ? kept.begin : std::max(wanted, kept.begin);
  if (begin >= end) {
    co_return LogPiece{.from = begin, .bytes = {}, .next = begin};
  }
  co_return LogPiece{.from = begin, .bytes = kept.bytes.substr(begin - kept.begin), .next = end};
}

}  // namespace muster::page
