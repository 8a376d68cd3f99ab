#pragma once

#include "base/log.h"
#include "control/passed_connections.h"
#include "control/transport.h"
#include "control/unauthenticated_peer.h"
#include "net/socket.h"
#include "net/tls.h"
#include "rt/accept_watch.h"
#include "rt/io_loop.h"

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace muster::control {

/// Takes over a connection that begins with something other than TLS, for the job's page. Without a
/// handler every request gets 401.
using PageHandler = std::function<void(rt::Fd socket)>;

/// How much room peers get until they have proved who they are.
struct UnauthenticatedLimits {
  size_t peers_max = 1024;                             ///< At a time.
  Duration patience = std::chrono::seconds(5);         ///< For each, to prove who it is.
  Duration idle_max = std::chrono::milliseconds(100);  ///< Before it may have to make room.
  Duration handshake_max = std::chrono::seconds(1);    ///< The same for one that has said hello.
  Duration audit_interval = std::chrono::minutes(1);   ///< Between two lines of one cause.
};

/// A listening port of the control channel. Peers come in unauthenticated and leave as channels, or
/// not at all. When all places are taken, the address that holds most of them makes room, by giving
/// up its oldest peer that has not said hello for a while; others wait in the kernel's queue. The
/// same happens when this process has no descriptor left; at most half of them go to
/// unauthenticated peers. Authenticated peers take none of these places, and neither do connections
/// passed on to another port; the latter end with the listener. Each cause of refusal is logged
/// with the address and the count, at most once a minute.
class TlsListener final : public Listener {
 public:
  struct Deps {
    rt::IoLoop& loop;
    std::shared_ptr<net::TlsContext> tls;
    log::Logger log;
    PageHandler page;
    PassOn pass_on = {};
    UnauthenticatedLimits limits = {};
  };

  TlsListener(Deps deps, net::Listening listening, std::string address, KeyLookup keys,
              Transport::Accepted accepted);
  ~TlsListener() override;
  TlsListener(const TlsListener&) = delete;
  TlsListener& operator=(const TlsListener&) = delete;

  [[nodiscard]] const std::string& address() const override { return address_; }
  /// Returns how many have not proved who they are yet.
  [[nodiscard]] size_t unauthenticated() const { return peers_.size(); }

 private:
  struct Entry {
    std::string source;  ///< The address, without the port.
    std::unique_ptr<UnauthenticatedPeer> peer;
  };
  using Place = std::list<Entry>::iterator;
  /// What is known about a cause of refusal.
  struct Refused {
    HostTime told{};        ///< When a line was last written.
    uint64_t untold = 0;    ///< Refusals since then.
    std::string source;     ///< Of the last.
    rt::TimerId next_line;  ///< Writes what is untold.
  };

  void on_readable();
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool evict_one();
  [[nodiscard]] Place find_evictable(const std::string* source);
  void admit(rt::Fd socket, std::string source);
  void forget(Place place);
  void on(UnauthenticatedPeer::Proved proved, const std::string& source);
  void on(UnauthenticatedPeer::PageRequest request, const std::string& source);
  void on(UnauthenticatedPeer::PassedOn passed, const std::string& source);
  void on(Refusal refusal, const std::string& source);
  void tell(Refusal refusal);

  Deps deps_;
  std::string address_;
  KeyLookup keys_;
  Transport::Accepted accepted_;
  std::map<Refusal, Refused> refused_;
  bool complained_descriptors_ = false;
  rt::Fd socket_;
  PassedConnections passed_;
  std::map<std::string, size_t> sources_;  ///< How many places each address holds.
  std::list<Entry> peers_;                 ///< The oldest first.
  rt::AcceptWatch coming_;                 ///< Last: it ends before its descriptor closes.
};

}  // namespace muster::control
