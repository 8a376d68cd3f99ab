#include "control/frame_queue.h"

#include "control/frame_reader.h"

#include <algorithm>
#include <utility>

namespace muster::control {

void FrameQueue::push(std::shared_ptr<const std::string> frame) {
  bytes_ += kFrameHeader + frame->size();
  frames_.push_back({.frame = std::move(frame)});
}

std::string_view FrameQueue::gather(std::span<char> staging) const {
  // A record's worth of one frame need not be copied together.
  if (!frames_.empty() && frames_.front().sent >= kFrameHeader) {
    const std::string_view rest =
        std::string_view(*frames_.front().frame).substr(frames_.front().sent - kFrameHeader);
    if (rest.size() >= staging.size()) {
      return rest.substr(0, staging.size());
    }
  }
  size_t filled = 0;
  for (const Outgoing& item : frames_) {
    size_t skip = item.sent;
    const std::string header = frame_header(item.frame->size());
    for (const std::string_view part : {std::string_view(header), std::string_view(*item.frame)}) {
      const size_t from = std::min(skip, part.size());
      skip -= from;
      const size_t size = std::min(part.size() - from, staging.size() - filled);
      std::copy_n(part.data() + from, size, staging.data() + filled);
      filled += size;
    }
    if (filled == staging.size()) {
      break;
    }
  }
  return {staging.data(), filled};
}

void FrameQueue::consume(size_t bytes) {
  bytes_ -= bytes;
  while (bytes > 0) {
    Outgoing& front = frames_.front();
    const size_t part = std::min(bytes, kFrameHeader + front.frame->size() - front.sent);
    front.sent += part;
    bytes -= part;
    if (front.sent == kFrameHeader + front.frame->size()) {
      frames_.pop_front();
    }
  }
}

void FrameQueue::clear() {
  frames_.clear();
  bytes_ = 0;
}

}  // namespace muster::control
