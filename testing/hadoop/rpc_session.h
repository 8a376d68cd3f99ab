#pragma once

#include "hadoop/rpc/frame_channel.h"
#include "hadoop/rpc/security_layer.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "testing/hadoop/digest_server.h"
#include "testing/hadoop/rpc_server.h"

#include <hadoop/rpc.pb.h>
#include <memory>
#include <string>
#include <string_view>

namespace muster::testing {

/// One connection of an RpcServer.
class RpcSession {
 public:
  RpcSession(RpcServer& server, std::unique_ptr<net::Stream> stream);

  /// Serves until the connection ends, or a fault or a fatal answer ends it.
  rt::Async<> run();

 private:
  using Header = ::hadoop::common::RpcResponseHeaderProto;
  using Sasl = ::hadoop::common::RpcSaslProto;

  static constexpr auto kInvalidToken =
      "org.apache.hadoop.security.token.SecretManager$InvalidToken";
  static constexpr auto kStandby = "org.apache.hadoop.ipc.StandbyException";
  static constexpr auto kAccess = "org.apache.hadoop.security.AccessControlException";

  rt::Async<bool> greet();
  rt::Async<> read_frames();
  rt::Async<> write_loop();
  rt::Async<> answer(RpcCall call);
  /// Returns false to end the connection.
  bool on_frame(std::string_view payload);
  bool on_sasl(const Sasl& message);
  bool on_initiate(const Sasl& message);
  bool on_call(hadoop::rpc::FrameCursor cursor,
               const ::hadoop::common::RpcRequestHeaderProto& header);
  void send_sasl(const Sasl& message);
  void send(std::string_view frame);
  /// Sends a FATAL answer and returns false.
  bool fatal(int32_t id, Header::RpcErrorCodeProto detail, std::string java_class,
             std::string message);
  void reply(const RpcCall& call, const RpcReply& made);
  void offer();

  RpcServer* server_;
  std::unique_ptr<net::Stream> stream_;
  std::unique_ptr<DigestServer> digest_;
  std::unique_ptr<hadoop::rpc::SecurityLayer> layer_;
  hadoop::rpc::FrameSplitter splitter_;
  hadoop::rpc::FrameSplitter inner_;
  bool sasl_ = false;
  bool authenticated_ = false;
  bool has_context_ = false;
  bool by_token_ = false;
  std::string user_;
  std::string real_user_;
  std::string protocol_;
  std::string outgoing_;
  size_t written_ = 0;
  bool closing_ = false;  ///< Close once everything is written.
  rt::Event work_;
  rt::Scope scope_;
};

}  // namespace muster::testing
