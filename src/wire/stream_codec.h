#pragma once

#include "base/result.h"
#include "wire/stream.h"

/// Frames of streams ⇄ protobuf, for the frames that carry them; the rules are event_codec.h's.
namespace muster::control::v1 {
class StreamFrame;
}  // namespace muster::control::v1

namespace muster::wire {

/// The most that a frame with a stream's frame in it has.
inline constexpr size_t kStreamFrameBytesMax = 160U << 10;

void put(const StreamFrame& value, control::v1::StreamFrame& message);
Status get(const control::v1::StreamFrame& message, StreamFrame& value);

}  // namespace muster::wire
