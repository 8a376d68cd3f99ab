#include "testing/hadoop/rpc_session.h"

#include "hadoop/rpc/encoding.h"
#include "hadoop/rpc/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

namespace muster::testing {

using ::hadoop::common::IpcConnectionContextProto;
using ::hadoop::common::RequestHeaderProto;
using ::hadoop::common::RpcRequestHeaderProto;
using hadoop::rpc::frame_of;
using hadoop::rpc::FrameCursor;

namespace {

constexpr size_t kRequestMax = size_t{128} << 20;
constexpr auto kServerException = "org.apache.hadoop.ipc.RpcServerException";

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

RpcSession::RpcSession(RpcServer& server, std::unique_ptr<net::Stream> stream)
    : server_(&server),
      stream_(std::move(stream)),
      splitter_(kRequestMax),
      inner_(kRequestMax),
      work_(*server.loop_),
      scope_(*server.loop_) {}

rt::Async<> RpcSession::run() {
  if (!co_await greet()) {
    co_return;
  }
  scope_.spawn(write_loop());
  co_await read_frames();
  closing_ = true;
  work_.pulse();
  co_await scope_.drained();
}

rt::Async<bool> RpcSession::greet() {
  std::array<uint8_t, 7> opening{};
  const Status read = co_await stream_->read_exactly(opening);
  if (!read.has_value()) {
    co_return false;
  }
  if (server_->faults_.http) {
    const std::string page = "HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\n\r\n";
    static_cast<void>(co_await stream_->write(bytes_of(page)));
    co_return false;
  }
  const std::string_view text(reinterpret_cast<const char*>(opening.data()), opening.size());
  if (!text.starts_with("hrpc") || opening[4] != 9 || server_->faults_.old_version) {
    Header header;
    header.set_callid(static_cast<uint32_t>(-1));
    header.set_status(Header::FATAL);
    header.set_serveripcversionnum(server_->faults_.old_version ? 10 : 9);
    header.set_exceptionclassname("org.apache.hadoop.ipc.RPC$VersionMismatch");
    header.set_errormsg("Server IPC version 10 cannot communicate with client version 9");
    header.set_errordetail(Header::FATAL_VERSION_MISMATCH);
    const std::string frame = frame_of({&header});
    static_cast<void>(co_await stream_->write(bytes_of(frame)));
    co_return false;
  }
  sasl_ = opening[6] == 0xdf;
  authenticated_ = !sasl_;
  co_return true;
}

rt::Async<> RpcSession::read_frames() {
  std::array<uint8_t, 4096> buffer{};
  while (true) {
    while (true) {
      auto frame = splitter_.next();
      if (!frame.has_value()) {
        co_return;
      }
      if (!frame->has_value()) {
        break;
      }
      if (!server_->faults_.silent && !on_frame(**frame)) {
        co_return;
      }
    }
    const auto size = co_await stream_->read_some(buffer);
    if (!size.has_value() || *size == 0) {
      scope_.cancel();
      co_return;
    }
    splitter_.feed({reinterpret_cast<const char*>(buffer.data()), *size});
  }
}

rt::Async<> RpcSession::write_loop() {
  while (true) {
    while (outgoing_.empty()) {
      if (closing_) {
        co_return;
      }
      co_await work_.wait();
    }
    std::string bytes = std::exchange(outgoing_, {});
    const auto& cut = server_->faults_.cut_after;
    const bool ends = cut.has_value() && written_ + bytes.size() > *cut;
    if (ends) {
      bytes.resize(*cut - std::min(written_, *cut));
    }
    written_ += bytes.size();
    const Status done = co_await stream_->write(bytes_of(bytes));
    if (ends || !done.has_value()) {
      stream_->close_write();
      co_return;
    }
  }
}

void RpcSession::send(std::string_view frame) {
  outgoing_ += frame;
  work_.pulse();
}

bool RpcSession::fatal(int32_t id, Header::RpcErrorCodeProto detail, std::string java_class,
                       std::string message) {
  Header header;
  header.set_callid(static_cast<uint32_t>(id));
  header.set_status(Header::FATAL);
  header.set_serveripcversionnum(9);
  header.set_exceptionclassname(std::move(java_class));
  header.set_errormsg(std::move(message));
  header.set_errordetail(detail);
  send(frame_of({&header}));
  return false;
}

bool RpcSession::on_frame(std::string_view payload) {
  FrameCursor cursor(payload);
  RpcRequestHeaderProto header;
  if (!cursor.take(header, "header").has_value()) {
    return fatal(-1, Header::FATAL_DESERIALIZING_REQUEST, kServerException, "no header");
  }
  if (header.callid() == hadoop::rpc::kSaslId) {
    Sasl message;
    if (!sasl_ || !cursor.take(message, "SASL").has_value()) {
      return fatal(-1, Header::FATAL_INVALID_RPC_HEADER, kServerException, "SASL not expected");
    }
    return on_sasl(message);
  }
  if (!authenticated_ || header.clientid().size() != 16) {
    return fatal(-1, Header::FATAL_INVALID_RPC_HEADER, kServerException, "not authenticated");
  }
  if (header.callid() == hadoop::rpc::kPingId) {
    ++server_->pings_;
    return true;
  }
  if (header.callid() == hadoop::rpc::kContextId) {
    IpcConnectionContextProto context;
    if (has_context_ || !cursor.take(context, "context").has_value()) {
      return fatal(-1, Header::FATAL_INVALID_RPC_HEADER, kServerException, "bad context");
    }
    if (!sasl_ && !server_->options_.simple) {
      return fatal(-1, Header::FATAL_UNAUTHORIZED, kAccess,
                   "SIMPLE authentication is not enabled.  Available:[TOKEN]");
    }
    if (by_token_ && context.userinfo().has_effectiveuser()) {
      return fatal(-1, Header::FATAL_UNAUTHORIZED, kAccess, "no doAs over tokens");
    }
    has_context_ = true;
    if (!by_token_) {
      user_ = context.userinfo().effectiveuser();
      real_user_ = context.userinfo().realuser();
    }
    protocol_ = context.protocol();
    return true;
  }
  return on_call(cursor, header);
}

bool RpcSession::on_call(FrameCursor cursor, const RpcRequestHeaderProto& header) {
  RequestHeaderProto request;
  if (!has_context_ || header.callid() < 0 || !cursor.take(request, "request header").has_value()) {
    return fatal(-1, Header::FATAL_INVALID_RPC_HEADER, kServerException, "no call expected");
  }
  // The message keeps its length in front, because it may be parsed later.
  std::string_view body = cursor.rest();
  while (!body.empty() && (static_cast<uint8_t>(body.front()) & 0x80) != 0) {
    body.remove_prefix(1);
  }
  body.remove_prefix(std::min<size_t>(body.size(), 1));
  RpcCall call;
  call.method = request.methodname();
  call.protocol = request.declaringclassprotocolname();
  call.id = header.callid();
  call.retry = header.retrycount();
  call.client_id = header.clientid();
  call.caller_context = header.callercontext().context();
  call.user = user_;
  call.real_user = real_user_;
  call.request = body;
  server_->calls_.push_back(call);
  scope_.spawn(answer(std::move(call)));
  return true;
}

rt::Async<> RpcSession::answer(RpcCall call) {
  RpcReply made;
  const auto handler = server_->handlers_.find(call.method);
  if (server_->options_.standby) {
    made = rpc_throw(kStandby, "Operation category READ is not supported in state standby");
  } else if (handler == server_->handlers_.end() && server_->otherwise_) {
    made = server_->otherwise_(call);
  } else if (handler == server_->handlers_.end()) {
    made = rpc_throw("org.apache.hadoop.ipc.RpcNoSuchMethodException",
                     "Unknown method " + call.method);
  } else {
    made = co_await handler->second(call);
  }
  if (server_->faults_.lost_replies > 0) {
    --server_->faults_.lost_replies;
    stream_->close_write();
    co_return;
  }
  reply(call, made);
}

void RpcSession::reply(const RpcCall& call, const RpcReply& made) {
  const RpcFaults& faults = server_->faults_;
  Header header;
  header.set_callid(static_cast<uint32_t>(faults.wrong_call_id ? call.id + 1000 : call.id));
  header.set_status(Header::SUCCESS);
  header.set_serveripcversionnum(9);
  header.set_clientid(faults.wrong_client_id ? std::string(16, 'x') : call.client_id);
  header.set_retrycount(call.retry);
  if (faults.unknown_fields) {
    header.mutable_unknown_fields()->append("\xa2\x06\x03xyz", 6);  // Field 100, three bytes.
  }
  std::string frame;
  if (!made.exception_class.empty()) {
    header.set_status(made.fatal ? Header::FATAL : Header::ERROR);
    header.set_exceptionclassname(made.exception_class);
    header.set_errormsg(made.message);
    header.set_errordetail(Header::ERROR_APPLICATION);
    frame = frame_of({&header});
  } else {
    // The reply is already encoded: append it to the header by hand.
    frame = frame_of({&header});
    size_t size = made.bytes.size();
    for (; size >= 0x80; size >>= 7) {
      frame.push_back(static_cast<char>(size | 0x80));
    }
    frame.push_back(static_cast<char>(size));
    frame += made.bytes;
  }
  if (faults.trailing_bytes) {
    frame += "tail";
  }
  std::string length;
  hadoop::rpc::append_be32(
      length, faults.oversized_length ? 0x7fffffff : static_cast<uint32_t>(frame.size() - 4));
  frame.replace(0, 4, length);
  if (layer_ != nullptr) {
    Sasl wrapped;
    wrapped.set_state(Sasl::WRAP);
    layer_->wrap(frame, *wrapped.mutable_token());
    if (faults.damaged_wrap) {
      wrapped.mutable_token()->front() ^= 1;
    }
    send_sasl(wrapped);
  } else {
    send(frame);
  }
  if (made.fatal) {
    closing_ = true;
  }
}

}  // namespace muster::testing
