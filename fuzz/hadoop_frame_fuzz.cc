#include "hadoop/rpc/frame.h"

#include <cstddef>
#include <cstdint>
#include <hadoop/rpc.pb.h>
#include <string_view>

/// What a server may send: bytes in pieces, frames, headers and messages in them.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster::hadoop::rpc;
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t piece = 1 + (data[0] % 64);
  FrameSplitter splitter(size_t{1} << 20);
  for (size_t at = 1; at < size; at += piece) {
    splitter.feed(bytes.substr(at, piece));
    while (true) {
      const auto frame = splitter.next();
      if (!frame.has_value()) {
        return 0;
      }
      if (!frame->has_value()) {
        break;
      }
      FrameCursor cursor(**frame);
      ::hadoop::common::RpcResponseHeaderProto header;
      ::hadoop::common::RpcSaslProto message;
      if (cursor.take(header, "header").has_value() && cursor.take(message, "SASL").has_value()) {
        static_cast<void>(cursor.expect_end("SASL"));
      }
    }
  }
  return 0;
}
