#include "hadoop/rpc/frame_channel.h"

#include <array>
#include <cstdint>
#include <span>

namespace muster::hadoop::rpc {

rt::Async<Result<std::optional<std::string>>> FrameChannel::read() {
  std::array<uint8_t, size_t{16} << 10> buffer;  // NOLINT: filled as far as it is read.
  while (true) {
    MUSTER_CO_TRY(std::optional<std::string> frame, splitter_.next());
    if (frame.has_value()) {
      co_return frame;
    }
    MUSTER_CO_TRY(const size_t size, co_await stream_->read_some(buffer));
    if (size == 0) {
      if (splitter_.partial()) {
        co_return cluster_error("the connection ended in the middle of a message");
      }
      co_return std::optional<std::string>();
    }
    splitter_.feed({reinterpret_cast<const char*>(buffer.data()), size});
  }
}

rt::Async<Status> FrameChannel::write(std::string bytes) {
  const std::span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  co_return co_await stream_->write(span);
}

}  // namespace muster::hadoop::rpc
