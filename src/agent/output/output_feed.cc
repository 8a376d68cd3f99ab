#include "agent/output/output_feed.h"

#include <algorithm>
#include <string>

namespace muster::agent {

OutputFeed::OutputFeed(Line line) : line_(std::move(line)) {}

void OutputFeed::follow(bool on) {
  following_ = on;
  if (!on) {
    dropped_.clear();
  }
}

bool OutputFeed::spend(HostTime now, size_t bytes, size_t queued_bytes_max) {
  const Duration passed = std::min<Duration>(now - refilled_, std::chrono::seconds(1));
  allowance_ = std::min(kBytesPerSecond, allowance_ + passed.count() * kBytesPerSecond / 1'000'000);
  refilled_ = now;
  if (allowance_ < static_cast<int64_t>(bytes) || line_.queued_bytes() + bytes > queued_bytes_max) {
    return false;
  }
  allowance_ -= static_cast<int64_t>(bytes);
  return true;
}

void OutputFeed::offer(HostTime now, job::AttemptId attempt, wire::OutputStream stream,
                       uint64_t offset, std::string_view bytes) {
  while (following_ && !bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytesMax);
    offer_piece(now, attempt, stream, offset, piece);
    offset += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

void OutputFeed::offer_piece(HostTime now, job::AttemptId attempt, wire::OutputStream stream,
                             uint64_t offset, std::string_view bytes) {
  wire::LeftOut& dropped = dropped_[{attempt, stream}];
  if (!spend(now, bytes.size(), kQueuedBytesMax)) {
    dropped.add(0, bytes);
    return;
  }
  const wire::LeftOut before = std::exchange(dropped, {});
  line_.send({attempt, stream, offset, before.bytes(), std::string(bytes),
              offset == 0 || before.ends_line()});
}

void OutputFeed::repeat(HostTime now, wire::Output last) {
  if (!following_ || last.bytes.empty() || !spend(now, last.bytes.size(), kRepeatQueuedBytesMax)) {
    return;
  }
  dropped_.erase({last.attempt, last.stream});  // Its offset shows what is missing before it.
  last.again = true;
  line_.send(std::move(last));
}

void OutputFeed::finish(job::AttemptId attempt, wire::OutputStream stream, uint64_t size) {
  const auto found = dropped_.find({attempt, stream});
  if (found == dropped_.end()) {
    return;
  }
  const wire::LeftOut dropped = std::move(found->second);
  dropped_.erase(found);
  if (dropped.bytes() > 0) {
    line_.send(dropped.rest(attempt, stream, size));
  }
}

void OutputFeed::remark(job::AttemptId attempt, wire::OutputStream stream, uint64_t size,
                        std::string text) {
  if (following_) {
    line_.send({attempt, stream, size, 0, std::move(text), true});
  }
}

std::string_view last_lines(std::string_view text, uint32_t lines) {
  size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') {
    --at;
  }
  for (; lines > 0; --lines) {
    const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (newline == std::string_view::npos) {
      return text;
    }
    at = newline;
  }
  return at + 1 < text.size() ? text.substr(at + 1) : std::string_view{};
}

}  // namespace muster::agent
