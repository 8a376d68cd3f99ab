#include "wire/stream_ledger.h"

#include "base/check.h"
#include "wire/field_codec.h"

#include <algorithm>
#include <utility>

namespace muster::wire {

void StreamAllowance::widen(size_t window) {
  if (window > window_) {
    left_ += window - window_;
    window_ = window;
  }
}

Status StreamAllowance::spend(size_t bytes) {
  if (closed_) {
    return corrupt("data after the end of a stream");
  }
  if (bytes > left_) {
    return corrupt("more data than the stream has credit for");
  }
  left_ -= bytes;
  return {};
}

Status StreamAllowance::grant(uint64_t bytes) {
  if (bytes > window_ - left_) {
    return corrupt("more credit than the stream's window");
  }
  left_ += static_cast<size_t>(bytes);
  return {};
}

Status StreamAllowance::close() {
  if (std::exchange(closed_, true)) {
    return corrupt("a stream was closed twice");
  }
  return {};
}

void StreamLedger::sent(size_t bytes) {
  MUSTER_CHECK(out_.spend(bytes).has_value(), "an end sends only what it may");
}

void StreamLedger::close() {
  if (!out_.closed()) {
    (void)out_.close();
  }
}

uint64_t StreamLedger::consumed(size_t bytes) {
  owed_ += bytes;
  if (owed_ < std::max(kStreamWindow / 4, in_.window() / 8) || in_.closed()) {
    return 0;
  }
  const uint64_t granted = std::exchange(owed_, 0);
  MUSTER_CHECK(in_.grant(granted).has_value(), "an end consumes only what it got");
  return granted;
}

}  // namespace muster::wire
