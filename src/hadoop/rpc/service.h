#pragma once

#include "base/log.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/connection.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/rpc/retry.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace muster::hadoop::rpc {

/// What all services of a process share.
struct ClientCore {
  ClientDeps deps;
  ClientOptions options;
  std::string id;         ///< 16 random bytes; with a call's id it names a call for retry caches.
  int32_t last_call = 0;  ///< Wraps before it would be negative.

  [[nodiscard]] int32_t next_call() { return last_call = (last_call + 1) & 0x7fffffff; }
};

/// The Proxy: at most one connection to each of its servers, made when needed; retries as
/// next_step() says. All calls go to the server that answered last.
class Service final : public Proxy {
 public:
  Service(ClientCore& core, Target target, ConnectionOptions connection, RetryOptions retry);

  using Proxy::call;
  [[nodiscard]] rt::Async<Outcome> call(Method method, const google::protobuf::MessageLite& request,
                                        google::protobuf::MessageLite& reply,
                                        CallOptions options) override;

 private:
  struct Call;

  rt::Async<Outcome> attempt(const Call* call, size_t server, google::protobuf::MessageLite* reply);
  [[nodiscard]] std::shared_ptr<Connection> connection_to(size_t server);
  [[nodiscard]] Outgoing outgoing(const Call& call) const;
  void leave_server(size_t server);
  [[nodiscard]] uint8_t random_byte();
  [[nodiscard]] Failure given_up(Failure last, const Call& call) const;

  ClientCore* core_;
  Target target_;
  ConnectionOptions connection_;
  RetryOptions retry_;
  size_t preferred_ = 0;
  std::vector<std::shared_ptr<Connection>> connections_;
};

}  // namespace muster::hadoop::rpc
