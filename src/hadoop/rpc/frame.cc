#include "hadoop/rpc/frame.h"

#include "base/text.h"
#include "hadoop/rpc/encoding.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message_lite.h>

#include <algorithm>
#include <hadoop/rpc.pb.h>
#include <utility>

namespace muster::hadoop::rpc {
namespace {

using google::protobuf::MessageLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

/// How deeply messages may be nested; Hadoop's deepest has a dozen levels.
constexpr int kDepthMax = 64;

Error corrupt(std::string message) { return cluster_error(std::move(message), Errc::Corrupt); }

}  // namespace

std::string preamble(AuthProtocol auth) {
  std::string bytes = "hrpc";
  bytes.push_back(static_cast<char>(kIpcVersion));
  bytes.push_back('\0');  // The service class: none.
  bytes.push_back(static_cast<char>(auth));
  return bytes;
}

std::string frame_of(std::initializer_list<const MessageLite*> messages) {
  size_t payload = 0;
  for (const MessageLite* message : messages) {
    const size_t size = message->ByteSizeLong();
    payload += CodedOutputStream::VarintSize32(static_cast<uint32_t>(size)) + size;
  }
  std::string frame;
  append_be32(frame, static_cast<uint32_t>(payload));
  frame.resize(4 + payload);
  auto* out = reinterpret_cast<uint8_t*>(frame.data()) + 4;
  for (const MessageLite* message : messages) {
    out = CodedOutputStream::WriteVarint32ToArray(static_cast<uint32_t>(message->GetCachedSize()),
                                                  out);
    out = message->SerializeWithCachedSizesToArray(out);
  }
  return frame;
}

::hadoop::common::RpcRequestHeaderProto header_of(int32_t id, std::string_view client_id) {
  ::hadoop::common::RpcRequestHeaderProto header;
  header.set_rpckind(::hadoop::common::RPC_PROTOCOL_BUFFER);
  header.set_rpcop(::hadoop::common::RpcRequestHeaderProto::RPC_FINAL_PACKET);
  header.set_callid(id);
  header.set_clientid(std::string(client_id));
  header.set_retrycount(-1);
  return header;
}

Status FrameCursor::take(MessageLite& message, std::string_view what) {
  CodedInputStream input(reinterpret_cast<const uint8_t*>(rest_.data()),
                         static_cast<int>(rest_.size()));
  uint32_t size = 0;
  if (!input.ReadVarint32(&size)) {
    return corrupt(fmt::format("a frame ends before its {}", what));
  }
  const auto begin = static_cast<size_t>(input.CurrentPosition());
  if (size > rest_.size() - begin) {
    return corrupt(fmt::format("the {} of a frame is {} bytes long, but {} are left", what, size,
                               rest_.size() - begin));
  }
  CodedInputStream body(reinterpret_cast<const uint8_t*>(rest_.data()) + begin,
                        static_cast<int>(size));
  body.SetRecursionLimit(kDepthMax);
  message.Clear();
  if (!message.MergePartialFromCodedStream(&body) || !body.ConsumedEntireMessage()) {
    return corrupt(fmt::format("the {} of a frame is not a {}", what, message.GetTypeName()));
  }
  if (!message.IsInitialized()) {
    return corrupt(fmt::format("the {} of a frame lacks a required field", what));
  }
  rest_.remove_prefix(begin + size);
  return {};
}

Status FrameCursor::expect_end(std::string_view what) const {
  if (!rest_.empty()) {
    return corrupt(fmt::format("{} bytes follow the {} of a frame", rest_.size(), what));
  }
  return {};
}

Result<std::optional<std::string>> FrameSplitter::next() {
  const std::string_view rest = std::string_view(held_).substr(at_);
  if (rest.starts_with("HTTP") || rest.starts_with("<htm") || rest.starts_with("<!DO")) {
    return corrupt(
        "an HTTP server answers there, not Hadoop's RPC: use the service's RPC port, not its web "
        "port");
  }
  if (rest.size() >= 4) {
    const uint32_t size = read_be32(rest);
    if (size == 0xffffffff) {
      return corrupt(
          "the server speaks an RPC version of Hadoop 1 or older; 2.10 is the oldest supported "
          "version");
    }
    if (size == 0 || size > bytes_max_) {
      return corrupt(fmt::format(
          "a frame claims {} bytes, at most {} are allowed (ipc.maximum.response.length): the "
          "server may not speak Hadoop's RPC; its bytes start with {}",
          size, bytes_max_, json_quote(rest.substr(0, 16))));
    }
    if (rest.size() - 4 >= size) {
      std::string payload(rest.substr(4, size));
      at_ += 4 + size;
      if (at_ == held_.size() || at_ > (size_t{1} << 20)) {
        held_.erase(0, at_);
        at_ = 0;
      }
      return std::optional(std::move(payload));
    }
  }
  return std::optional<std::string>();
}

}  // namespace muster::hadoop::rpc
