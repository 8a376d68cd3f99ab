#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}
namespace hadoop::common {
class RpcRequestHeaderProto;
}

namespace muster::hadoop::rpc {

/// The ids of frames that are no calls.
inline constexpr int32_t kAuthorizationFailedId = -1;
inline constexpr int32_t kContextId = -3;
inline constexpr int32_t kPingId = -4;
inline constexpr int32_t kSaslId = -33;

/// Which protocol the first bytes of a connection announce.
enum class AuthProtocol : uint8_t { None = 0, Sasl = 0xdf };

inline constexpr uint8_t kIpcVersion = 9;

/// The 7 bytes that open a connection.
[[nodiscard]] std::string preamble(AuthProtocol auth);

/// Makes a frame: its length in 4 bytes, then each message preceded by its own length as a varint.
[[nodiscard]] std::string frame_of(
    std::initializer_list<const google::protobuf::MessageLite*> messages);

/// The header of a frame of the client; a call has more in it.
[[nodiscard]] ::hadoop::common::RpcRequestHeaderProto header_of(int32_t id,
                                                                std::string_view client_id);

/// Takes the messages of one frame's payload, one after the other.
class FrameCursor {
 public:
  explicit FrameCursor(std::string_view payload) : rest_(payload) {}
  /// Parses the next message, called `what` in errors. Corrupt if it is cut off, longer than the
  /// frame, lacks a required field or nests too deep. Unknown fields are ignored.
  [[nodiscard]] Status take(google::protobuf::MessageLite& message, std::string_view what);
  /// Corrupt if anything is left.
  [[nodiscard]] Status expect_end(std::string_view what) const;
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// Cuts a stream of bytes into frames.
class FrameSplitter {
 public:
  explicit FrameSplitter(size_t bytes_max) : bytes_max_(bytes_max) {}

  void feed(std::string_view bytes) { held_.append(bytes); }
  /// Returns the payload of the next frame; nothing until it is whole. Corrupt, with what was found
  /// instead, for lengths out of range: an HTTP server, an ancient Hadoop, another protocol.
  [[nodiscard]] Result<std::optional<std::string>> next();
  /// True in the middle of a frame.
  [[nodiscard]] bool partial() const { return held_.size() > at_; }

 private:
  size_t bytes_max_;
  std::string held_;
  size_t at_ = 0;  ///< Bytes of `held_` that were handed out.
};

}  // namespace muster::hadoop::rpc
