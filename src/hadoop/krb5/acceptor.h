#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/krb5/kerberos_process.h"
#include "rt/async.h"
#include "rt/io_loop.h"
#include "rt/wait.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace muster::hadoop::krb5 {

/// The identity that somebody has proved by a ticket.
struct AcceptedPeer {
  std::string user;    ///< On this host, by the rules of krb5.conf (auth_to_local).
  std::string answer;  ///< The token that proves the service to the client.
  Duration valid{};    ///< For how long the ticket lasts.
};

/// The server side of Kerberos for clients that prove themselves with one token, bare or in SPNEGO,
/// as in HTTP. Each dialogue has a helper of its own. The keys are those of the keytab named by
/// KRB5_KTNAME in the options' environment. Lives on its loop's thread.
class Acceptor {
 public:
  /// `service`: "HTTP"; its keys for any host count.
  Acceptor(rt::IoLoop& loop, KerberosOptions options, std::string service)
      : loop_(loop), options_(std::move(options)), service_(std::move(service)), freed_(loop) {}
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  /// Checks whether there is a helper, a library, and a key of the service.
  [[nodiscard]] rt::Async<Status> check();
  /// Judges a client's token. Unauthenticated, with the library's message, for one that proves
  /// nothing, or whose user has no name on this host. Later ones wait while kAtOnceMax are being
  /// judged.
  [[nodiscard]] rt::Async<Result<AcceptedPeer>> accept(std::string token);

  static constexpr size_t kAtOnceMax = 8;
  static constexpr Duration kPatience = std::chrono::seconds(10);

 private:
  class Place;
  [[nodiscard]] Result<std::unique_ptr<KerberosProcess>> start() const;
  [[nodiscard]] rt::Async<Status> ask_for_keys();
  [[nodiscard]] rt::Async<Result<AcceptedPeer>> judge(std::string token);

  rt::IoLoop& loop_;
  KerberosOptions options_;
  std::string service_;
  size_t judging_ = 0;
  rt::Event freed_;  ///< judging_ has decreased.
};

}  // namespace muster::hadoop::krb5
