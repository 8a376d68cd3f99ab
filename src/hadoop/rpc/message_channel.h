#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/frame.h"
#include "hadoop/rpc/frame_channel.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace muster::hadoop::rpc {

/// Frames over one connection after its handshake: as they are or, with a guard, wrapped in SASL
/// messages. One reader and one writer at a time.
class MessageChannel {
 public:
  /// `guard`: null if nothing is protected.
  MessageChannel(rt::Loop& loop, FrameChannel frames, std::unique_ptr<MessageGuard> guard,
                 size_t frame_bytes_max);

  /// Returns the payload of the next plain frame; nothing at the stream's end. Corrupt for anything
  /// that is not a frame, and for one that should have been wrapped.
  [[nodiscard]] rt::Async<Result<std::optional<std::string>>> read();
  /// Writes whole frames.
  [[nodiscard]] rt::Async<Status> write(std::string frames);
  /// When anything last arrived.
  [[nodiscard]] HostTime last_received() const { return last_received_; }

 private:
  [[nodiscard]] rt::Async<Result<std::string>> protect(std::string bytes);
  [[nodiscard]] rt::Async<Result<std::string>> unprotect(std::string frame);

  rt::Loop& loop_;
  FrameChannel frames_;
  std::unique_ptr<MessageGuard> guard_;
  FrameSplitter inner_;  ///< Of what the guard unwraps.
  HostTime last_received_;
};

}  // namespace muster::hadoop::rpc
