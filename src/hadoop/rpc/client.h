#pragma once

#include "base/log.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/proxy.h"
#include "net/stream.h"
#include "rt/loop.h"

#include <memory>
#include <string>

namespace muster::hadoop::rpc {

class KerberosExchanges;

/// What every connection of a process shares.
struct ClientDeps {
  rt::Loop& loop;
  rt::Random& random;
  net::Dialer& dialer;
  log::Sink& log;
  KerberosExchanges* kerberos = nullptr;  ///< Null: this process cannot speak Kerberos.
};

struct ClientOptions {
  ConnectionOptions connection;
  RetryOptions retry;
  /// Sent with every call and shown in the server's audit log: "muster_job-17"; empty: nothing.
  std::string caller_context;
};

/// The process's side of Hadoop RPC: one client id, one sequence of call ids, and the proxies made
/// from them. Must outlive its proxies; lives on one loop's thread.
class Client {
 public:
  Client(ClientDeps deps, ClientOptions options);
  Client(Client&&) = delete;
  ~Client();

  /// Returns a proxy for `target`, which names at least one server. Nothing is connected yet.
  [[nodiscard]] std::unique_ptr<Proxy> proxy(Target target);
  /// The same with its own times: a NodeManager is given up on sooner than a ResourceManager.
  [[nodiscard]] std::unique_ptr<Proxy> proxy(Target target, ConnectionOptions connection,
                                             RetryOptions retry);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace muster::hadoop::rpc
