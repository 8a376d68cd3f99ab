#pragma once

#include "hadoop/rpc/digest_session.h"
#include "hadoop/rpc/options.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"

#include <google/protobuf/message_lite.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::testing {

/// One call, as the server got it.
struct RpcCall {
  std::string method;
  std::string protocol;
  int32_t id = 0;
  int32_t retry = 0;
  std::string client_id;
  std::string caller_context;
  std::string user;       ///< The connection's effective user; with a token, its identifier.
  std::string real_user;  ///< Empty unless given.
  std::string request;    ///< The message's bytes.

  /// Parses the request; a request that does not parse fails the test.
  template <class Message>
  [[nodiscard]] Message as() const {
    Message message;
    parse(message);
    return message;
  }

 private:
  void parse(google::protobuf::MessageLite& message) const;
};

/// A handler's result for a call: a reply's bytes, or a Java exception.
struct RpcReply {
  std::string bytes;
  std::string exception_class;  ///< If not empty: thrown, with `message`.
  std::string message;
  bool fatal = false;  ///< FATAL instead of ERROR: the connection closes after it.
};

[[nodiscard]] RpcReply rpc_reply(const google::protobuf::MessageLite& message);
/// `java_class` as in "java.io.FileNotFoundException".
[[nodiscard]] RpcReply rpc_throw(std::string java_class, std::string message);

/// What goes wrong, from now on, on every connection; all off by default.
struct RpcFaults {
  std::optional<size_t> cut_after;  ///< How many bytes a connection still sends before it closes.
  bool silent = false;              ///< Reads everything, says nothing.
  bool http = false;                ///< Answers everything like a web server.
  bool old_version = false;         ///< FATAL_VERSION_MISMATCH to everybody.
  bool wrong_call_id = false;       ///< Answers calls that were never made.
  bool wrong_client_id = false;
  bool oversized_length = false;    ///< Replies claim to be 2 GiB long.
  bool trailing_bytes = false;      ///< Replies are followed by bytes that belong to nothing.
  bool unknown_fields = false;      ///< Replies' headers hold fields of the future: no fault.
  bool garbage_after_sasl = false;  ///< The dialogue ends well, and then nonsense follows.
  bool early_success = false;       ///< SASL ends without the server's proof.
  bool damaged_wrap = false;        ///< Wrapped replies carry a wrong code.
  int lost_replies = 0;             ///< This many calls are performed before the connection closes.
};

struct RpcServerOptions {
  /// SIMPLE is accepted, with and without SASL.
  bool simple = true;
  /// Offers TOKEN first; identifier to password, raw.
  std::map<std::string, std::string> tokens;
  /// What the TOKEN offer allows, in the server's order.
  std::vector<hadoop::rpc::Protection> protections = {hadoop::rpc::Protection::Authentication};
  std::vector<hadoop::rpc::DigestCipher> ciphers = {hadoop::rpc::DigestCipher::TripleDes,
                                                    hadoop::rpc::DigestCipher::Rc4};
  /// Answers StandbyException: to tokens during SASL, to others on calls.
  bool standby = false;
};

/// A Hadoop RPC server over any streams: MemoryNet's on virtual time, or TCP. Deterministic.
/// Handlers are coroutines and may wait; their replies are sent in the order in which they end.
class RpcServer {
 public:
  using Handler = std::function<rt::Async<RpcReply>(RpcCall call)>;

  RpcServer(rt::Loop& loop, RpcServerOptions options);
  RpcServer(RpcServer&&) = delete;
  ~RpcServer();

  /// Answers calls of `method`; other methods get RpcNoSuchMethodException. Replaces an earlier
  /// handler.
  void on(const std::string& method, Handler handler);
  /// The same for a handler that answers at once.
  void on_call(const std::string& method, std::function<RpcReply(const RpcCall& call)> handler);
  /// Answers calls that have no handler, instead of RpcNoSuchMethodException.
  void on_any(std::function<RpcReply(const RpcCall& call)> handler) {
    otherwise_ = std::move(handler);
  }
  /// Serves one connection; fits MemoryNet::listen.
  void serve(std::unique_ptr<net::Stream> stream);
  /// Closes all connections.
  void close_all();

  /// They apply to connections and calls from now on.
  [[nodiscard]] RpcServerOptions& options() { return options_; }
  [[nodiscard]] RpcFaults& faults() { return faults_; }
  /// Returns every call that came, in order.
  [[nodiscard]] const std::vector<RpcCall>& calls() const { return calls_; }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int pings() const { return pings_; }

 private:
  friend class RpcSession;

  rt::Loop* loop_;
  RpcServerOptions options_;
  RpcFaults faults_;
  std::map<std::string, Handler> handlers_;
  std::function<RpcReply(const RpcCall& call)> otherwise_;
  std::vector<RpcCall> calls_;
  int connections_ = 0;
  int pings_ = 0;
  rt::Scope scope_;  ///< Last: sessions use the rest.
};

}  // namespace muster::testing
