#pragma once

#include "net/certificates.h"
#include "net/http_server.h"
#include "net/socket.h"
#include "net/stream.h"
#include "rt/accept_watch.h"
#include "rt/fd.h"
#include "rt/io_loop.h"
#include "rt/running.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>

namespace muster::net {

/// How much room clients get until they can be served.
struct WebListenerLimits {
  size_t clients_max = 512;  ///< At a time.
  size_t begun_max = 128;    ///< Of these, how many may have begun and take memory.
  Duration patience = std::chrono::seconds(10);        ///< For each.
  Duration idle_max = std::chrono::milliseconds(100);  ///< Before it may have to make room.
  /// The same for one that has begun: in a second, only as many can come as go.
  Duration begun_time = std::chrono::milliseconds(150);
};

/// A listening port of a web server: accepts connections, with TLS if there is a certificate, and
/// hands those that have begun to the server. A client takes memory only once its hello, or without
/// TLS its first byte, has arrived. When all places are taken, the address that holds most of them
/// makes room by giving up its oldest client that has had its time; others wait in the kernel's
/// queue, as they do while this process has no descriptor left. Clients that have begun wait for
/// room in the server. Lives on its loop's thread.
class WebListener {
 public:
  struct Deps {
    rt::IoLoop& loop;
    HttpServer& server;
    const CertificateTls* tls = nullptr;  ///< None: unencrypted.
    WebListenerLimits limits = {};
  };

  WebListener(Deps deps, Listening listening);
  WebListener(const WebListener&) = delete;
  WebListener& operator=(const WebListener&) = delete;

  [[nodiscard]] uint16_t port() const { return listening_.port; }

 private:
  struct Client {
    std::string source;  ///< The address, without the port.
    HostTime since{};
    bool begun = false;
    rt::Running running;
  };
  using Place = std::list<Client>::iterator;

  void on_readable();
  [[nodiscard]] bool evict_one(bool begun);
  void admit(rt::Fd socket, std::string source);
  /// Returns nothing if the client does not get that far.
  [[nodiscard]] rt::Async<std::unique_ptr<Stream>> receive(Place place, rt::Fd socket);
  [[nodiscard]] bool begin(Place place);

  Deps deps_;
  Listening listening_;
  std::list<Client> clients_;  ///< The oldest first.
  rt::AcceptWatch coming_;     ///< Last: it uses the rest.
};

}  // namespace muster::net
