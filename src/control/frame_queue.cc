#include "control/frame_queue.h"

#include "control/frame_reader.h"

#include <algorithm>
#include <utility>

namespace muster::control {

void FrameQueue::push(std::shared_ptr<const std::string> frame) {
  std::string header = frame_header(frame->size());
  push({.head = std::move(header), .own = {}, .shared = std::move(frame)});
}

void FrameQueue::push(std::string_view head, std::string body) {
  std::string begin = frame_header(head.size() + body.size());
  begin += head;
  push({.head = std::move(begin), .own = std::move(body), .shared = nullptr});
}

void FrameQueue::push(Outgoing frame) {
  bytes_ += frame.bytes();
  frames_.push_back(std::move(frame));
}

std::string_view FrameQueue::gather(std::span<char> staging) const {
  // A frame that fills most of a record need not be copied together with the next.
  if (!frames_.empty() && frames_.front().sent >= frames_.front().head.size()) {
    const Outgoing& front = frames_.front();
    const std::string_view rest = front.body().substr(front.sent - front.head.size());
    if (rest.size() > staging.size() / 2) {
      return rest.substr(0, staging.size());
    }
  }
  size_t filled = 0;
  for (const Outgoing& item : frames_) {
    size_t skip = item.sent;
    for (const std::string_view part : {std::string_view(item.head), item.body()}) {
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
    const size_t part = std::min(bytes, front.bytes() - front.sent);
    front.sent += part;
    bytes -= part;
    if (front.sent == front.bytes()) {
      frames_.pop_front();
    }
  }
}

void FrameQueue::clear() {
  frames_.clear();
  bytes_ = 0;
}

}  // namespace muster::control
