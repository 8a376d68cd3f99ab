#include "control/tls_transport.h"

#include "control/dial.h"
#include "control/tls_listener.h"
#include "net/address.h"
#include "net/resolver.h"
#include "net/socket.h"
#include "net/tls.h"
#include "rt/running.h"

#include <map>
#include <utility>

namespace muster::control {
namespace {

/// Negotiated in the handshake: a peer that speaks another version is rejected there.
constexpr const char* kProtocol = "muster/1";

class TlsTransport final : public Transport {
 public:
  TlsTransport(rt::IoLoop& loop, log::Logger log, PageHandler page)
      : loop_(loop), log_(log), page_(std::move(page)), resolver_(loop) {}

  Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, KeyLookup keys,
                                           Accepted accepted) override {
    MUSTER_TRY(net::Listening listening, net::listen_on({.host = options.host,
                                                         .port_low = options.port_low,
                                                         .port_high = options.port_high}));
    std::string address = net::to_string({.host = options.host, .port = listening.port});
    return std::make_unique<TlsListener>(
        TlsListener::Deps{
            .loop = loop_, .tls = tls(), .log = log_, .page = page_, .pass_on = options.pass_on},
        std::move(listening), std::move(address), std::move(keys), std::move(accepted));
  }

  void dial(const std::string& address, const Peer& self, const Key& key, Duration deadline,
            Dialled dialled) override {
    const uint64_t number = ++last_dial_;
    auto work = control::dial({.loop = loop_, .tls = tls(), .resolver = resolver_},
                              {.address = address, .self = self, .key = key, .patience = deadline});
    dials_[number] = rt::start(
        loop_, std::move(work),
        [this, number, done = std::move(dialled)](Result<std::unique_ptr<Channel>> channel) {
          dials_.erase(number);
          done(std::move(channel));  // May destroy this transport.
        });
  }

 private:
  /// Made on first use: it takes a moment, and not every process that has a transport uses it.
  std::shared_ptr<net::TlsContext> tls() {
    if (tls_ == nullptr) {
      tls_ = std::make_shared<net::TlsContext>(kProtocol);
    }
    return tls_;
  }

  rt::IoLoop& loop_;
  log::Logger log_;
  PageHandler page_;
  std::shared_ptr<net::TlsContext> tls_;
  net::Resolver resolver_;
  uint64_t last_dial_ = 0;
  std::map<uint64_t, rt::Running> dials_;  // Last: they use the resolver.
};

}  // namespace

std::unique_ptr<Transport> make_tls_transport(rt::IoLoop& loop, log::Logger log, PageHandler page) {
  return std::make_unique<TlsTransport>(loop, log, std::move(page));
}

}  // namespace muster::control
