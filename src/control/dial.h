#pragma once

#include "control/transport.h"
#include "net/address.h"
#include "net/resolver.h"
#include "net/socket.h"
#include "net/tls.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::control {

/// One attempt to reach and convince a listener: names, TCP (each address in turn), handshake,
/// within one deadline.
class Dial {
 public:
  /// Once, never inside the constructor; may destroy the dial.
  using Done = std::function<void(Result<std::unique_ptr<Channel>> channel)>;
  struct Deps {
    rt::IoLoop& loop;
    std::shared_ptr<net::TlsContext> tls;
    net::Resolver& resolver;
  };
  struct Options {
    std::string address;
    Peer self;
    Key key{};
    Duration deadline{};
  };

  Dial(Deps deps, Options options, Done done);
  ~Dial();
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

 private:
  void resolve();
  void try_next(Error last);
  void on_connected(Result<rt::Fd> socket);
  void shake_hands();
  void watch(rt::Interest interest);
  void finish(Result<std::unique_ptr<Channel>> result);

  Deps deps_;
  Options options_;
  Done done_;
  rt::TimerId deadline_;
  rt::TimerId start_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::vector<net::SocketAddress> addresses_;  ///< Not yet tried, the next one last.
  std::unique_ptr<net::Connecting> connecting_;
  std::optional<net::TlsStream> stream_;
  rt::Interest interest_ = rt::Interest::Read;
  std::unique_ptr<rt::FdWatch> watch_;  // Last: it ends before its descriptor closes.
};

}  // namespace muster::control
