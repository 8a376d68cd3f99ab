#include "hadoop/rpc/message_channel.h"

#include <algorithm>
#include <hadoop/rpc.pb.h>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

using ::hadoop::common::RpcRequestHeaderProto;
using ::hadoop::common::RpcResponseHeaderProto;
using ::hadoop::common::RpcSaslProto;

/// Plain bytes in one wrapped message: below the 64 KiB that DIGEST-MD5 allows.
constexpr size_t kWrapBytesMax = size_t{60} << 10;

}  // namespace

MessageChannel::MessageChannel(rt::Loop& loop, FrameChannel frames,
                               std::unique_ptr<MessageGuard> guard, size_t frame_bytes_max)
    : loop_(loop),
      frames_(std::move(frames)),
      guard_(std::move(guard)),
      inner_(frame_bytes_max),
      last_received_(loop.now()) {}

rt::Async<Result<std::optional<std::string>>> MessageChannel::read() {
  while (true) {
    if (guard_ != nullptr) {
      MUSTER_CO_TRY(std::optional<std::string> plain, inner_.next());
      if (plain.has_value()) {
        co_return plain;
      }
    }
    auto read = co_await frames_.read();
    last_received_ = loop_.now();
    if (guard_ == nullptr || !read.has_value() || !read->has_value()) {
      co_return read;
    }
    MUSTER_CO_TRY(const std::string unwrapped, co_await unprotect(**std::move(read)));
    inner_.feed(unwrapped);
  }
}

rt::Async<Status> MessageChannel::write(std::string frames) {
  if (guard_ == nullptr) {
    co_return co_await frames_.write(std::move(frames));
  }
  MUSTER_CO_TRY(std::string wrapped, co_await protect(std::move(frames)));
  co_return co_await frames_.write(std::move(wrapped));
}

rt::Async<Result<std::string>> MessageChannel::protect(std::string bytes) {
  const RpcRequestHeaderProto header = header_of(kSaslId, "");
  RpcSaslProto message;
  message.set_state(RpcSaslProto::WRAP);
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += kWrapBytesMax) {
    MUSTER_CO_TRY(*message.mutable_token(), co_await guard_->wrap(bytes.substr(at, kWrapBytesMax)));
    out += frame_of({&header, &message});
  }
  co_return out;
}

rt::Async<Result<std::string>> MessageChannel::unprotect(std::string frame) {
  FrameCursor cursor(frame);
  RpcResponseHeaderProto header;
  MUSTER_CO_TRY_STATUS(cursor.take(header, "response header"));
  if (static_cast<int32_t>(header.callid()) != kSaslId) {
    co_return cluster_error("an unprotected frame arrived", Errc::Corrupt);
  }
  RpcSaslProto message;
  MUSTER_CO_TRY_STATUS(cursor.take(message, "SASL message"));
  MUSTER_CO_TRY_STATUS(cursor.expect_end("SASL message"));
  if (message.state() != RpcSaslProto::WRAP) {
    co_return cluster_error("a SASL message arrived after the end of the dialogue", Errc::Corrupt);
  }
  co_return co_await guard_->unwrap(std::move(*message.mutable_token()));
}

}  // namespace muster::hadoop::rpc
