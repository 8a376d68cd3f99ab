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
  /// A frame in two pieces, of which the second is not copied together with the first.
  void push(std::string_view head, std::string body);
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  /// What is left to send, with headers.
  [[nodiscard]] size_t bytes() const { return bytes_; }
  /// Returns the next bytes: of the first frame alone where most of `staging` would be its, else
  /// of as many frames as there is room for, copied there. Valid until the next change.
  [[nodiscard]] std::string_view gather(std::span<char> staging) const;
  /// So many bytes are sent: at most what gather() returned.
  void consume(size_t bytes);
  void clear();

 private:
  struct Outgoing {
    std::string head;  ///< The header, and the frame's first piece if it came in two.
    std::string own;
    std::shared_ptr<const std::string> shared;  ///< Instead of `own`.
    size_t sent = 0;

    [[nodiscard]] std::string_view body() const { return shared ? *shared : own; }
    [[nodiscard]] size_t bytes() const { return head.size() + body().size(); }
  };

  void push(Outgoing frame);

  std::deque<Outgoing> frames_;
  size_t bytes_ = 0;
};

}  // namespace muster::control
