#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace muster::control {

/// Frames that wait to be sent, and what of the first has been. A value.
class FrameQueue {
 public:
  void push(std::shared_ptr<const std::string> frame);
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  /// What is left to send, with headers.
  [[nodiscard]] size_t bytes() const { return bytes_; }
  /// Returns the next bytes: of the first frame alone where that fills as much as `staging`, else
  /// of as many frames as there is room for, copied there. Valid until the next change.
  [[nodiscard]] std::string_view gather(std::span<char> staging) const;
  /// So many bytes are sent: at most what gather() returned.
  void consume(size_t bytes);
  void clear();

 private:
  struct Outgoing {
    std::shared_ptr<const std::string> frame;
    size_t sent = 0;  ///< Of the header and the frame.
  };

  std::deque<Outgoing> frames_;
  size_t bytes_ = 0;
};

}  // namespace muster::control
