#pragma once

#include "base/result.h"
#include "hadoop/rpc/frame.h"
#include "net/stream.h"
#include "rt/async.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace muster::hadoop::rpc {

/// Frames over one stream, unprotected. One reader and one writer at a time.
class FrameChannel {
 public:
  FrameChannel(std::unique_ptr<net::Stream> stream, size_t frame_bytes_max)
      : stream_(std::move(stream)), splitter_(frame_bytes_max) {}

  /// Returns the payload of the next frame; nothing at the stream's end between two frames. Corrupt
  /// for anything that is not a frame, and for an end within one.
  [[nodiscard]] rt::Async<Result<std::optional<std::string>>> read();
  /// Writes whole frames, or whatever else `bytes` are.
  [[nodiscard]] rt::Async<Status> write(std::string bytes);
  [[nodiscard]] const std::string& peer() const { return stream_->peer(); }

 private:
  std::unique_ptr<net::Stream> stream_;
  FrameSplitter splitter_;
};

}  // namespace muster::hadoop::rpc
