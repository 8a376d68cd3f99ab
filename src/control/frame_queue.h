#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace muster::control {

/// Frames waiting to be sent, and how much of the first has been sent. A value.
class FrameQueue {
 public:
  void push(std::shared_ptr<const std::string> frame);
  /// Adds a frame in two pieces, of which the second is not copied.
  void push(std::string_view head, std::string body);
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  /// Returns how many bytes are left to send, including headers.
  [[nodiscard]] size_t bytes() const { return bytes_; }
  /// Returns the next bytes: of the first frame alone if that would fill most of `staging`, else of
  /// as many frames as there is room for, copied there. Valid until the next change.
  [[nodiscard]] std::string_view gather(std::span<char> staging) const;
  /// That many bytes have been sent: at most what gather() returned.
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
