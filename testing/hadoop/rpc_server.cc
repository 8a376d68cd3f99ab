#include "testing/hadoop/rpc_server.h"

#include "testing/hadoop/rpc_session.h"

#include <gtest/gtest.h>

namespace muster::testing {
namespace {

rt::Async<> run_session(std::unique_ptr<RpcSession> session) { co_await session->run(); }

}  // namespace

void RpcCall::parse(google::protobuf::MessageLite& message) const {
  EXPECT_TRUE(message.ParseFromString(request)) << method << " came with another request";
}

RpcReply rpc_reply(const google::protobuf::MessageLite& message) {
  return {.bytes = message.SerializeAsString()};
}

RpcReply rpc_throw(std::string java_class, std::string message) {
  return {.exception_class = std::move(java_class), .message = std::move(message)};
}

RpcServer::RpcServer(rt::Loop& loop, RpcServerOptions options)
    : loop_(&loop), options_(std::move(options)), scope_(loop) {}

RpcServer::~RpcServer() = default;

void RpcServer::on(const std::string& method, Handler handler) {
  handlers_[method] = std::move(handler);
}

void RpcServer::on_call(const std::string& method,
                        std::function<RpcReply(const RpcCall& call)> handler) {
  on(method,
     [shared = std::make_shared<decltype(handler)>(std::move(handler))](
         RpcCall call) -> rt::Async<RpcReply> {
       // The lambda's parameters live in the frame, its captures do not: take what is needed.
       return [](auto kept, RpcCall taken) -> rt::Async<RpcReply> { co_return (*kept)(taken); }(
                                               shared, std::move(call));
     });
}

void RpcServer::serve(std::unique_ptr<net::Stream> stream) {
  ++connections_;
  scope_.spawn(run_session(std::make_unique<RpcSession>(*this, std::move(stream))));
}

void RpcServer::close_all() { scope_.cancel(); }

}  // namespace muster::testing
