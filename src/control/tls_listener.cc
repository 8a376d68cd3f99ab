#include "control/tls_listener.h"

#include "control/connection.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <sys/resource.h>
#include <sys/socket.h>
#include <utility>
#include <variant>

namespace muster::control {
namespace {

/// Half of the descriptors that this process may have: the rest is for authenticated peers and for
/// files.
size_t peers_for_descriptors() {
  rlimit files{};
  return ::getrlimit(RLIMIT_NOFILE, &files) == 0 ? static_cast<size_t>(files.rlim_cur) / 2
                                                 : std::numeric_limits<size_t>::max();
}

}  // namespace

TlsListener::TlsListener(Deps deps, net::Listening listening, std::string address, KeyLookup keys,
                         Transport::Accepted accepted)
    : deps_(std::move(deps)),
      address_(std::move(address)),
      keys_(std::move(keys)),
      accepted_(std::move(accepted)),
      socket_(std::move(listening.fd)),
      passed_(deps_.loop),
      coming_(deps_.loop, socket_.get(), [this] { on_readable(); }) {
  deps_.limits.peers_max = std::min(deps_.limits.peers_max, peers_for_descriptors());
}

TlsListener::~TlsListener() {
  for (const auto& [refusal, refused] : refused_) {
    deps_.loop.cancel(refused.next_line);
  }
}

void TlsListener::on_readable() {
  constexpr int kTurnMax = 16;  // Then the accepted ones have their turn.
  for (int count = 0; count < kTurnMax; ++count) {
    if (!make_room()) {
      return;
    }
    net::SocketAddress from;
    from.size = sizeof(from.storage);
    rt::Fd socket(::accept4(socket_.get(), from.get(), &from.size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      admit(std::move(socket), net::literal_of(from));
      continue;
    }
    if (rt::no_descriptor_left(errno)) {
      if (!std::exchange(complained_descriptors_, true)) {
        deps_.log.warning("control.accept_failed",
                          {{"cause", system_error(errno, "accept").message}});
      }
      if (evict_one()) {
        continue;
      }
      coming_.rest();
    }
    return;  // Nobody is waiting, or somebody has left again.
  }
}

/// Returns whether one more may come in now; if not, accepting is paused until one may.
bool TlsListener::make_room() {
  if (peers_.size() < deps_.limits.peers_max || evict_one()) {
    return true;
  }
  coming_.rest(std::chrono::milliseconds(20));
  return false;
}

/// Closes a peer of the address that holds the most places, else any; returns false if all have
/// only just come.
bool TlsListener::evict_one() {
  if (peers_.empty()) {
    return false;
  }
  const auto greediest =
      std::ranges::max_element(sources_, {}, &decltype(sources_)::value_type::second);
  Place victim = find_evictable(&greediest->first);
  if (victim == peers_.end()) {
    victim = find_evictable(nullptr);
  }
  if (victim == peers_.end()) {
    return false;
  }
  on(Refusal::Crowded, victim->source);
  forget(victim);
  return true;
}

/// Returns the oldest peer (of one source) that has had its time; one that has sent its hello gets
/// more.
TlsListener::Place TlsListener::find_evictable(const std::string* source) {
  const HostTime now = deps_.loop.now();
  for (auto place = peers_.begin(); place != peers_.end(); ++place) {
    const Duration age = now - place->peer->since();
    if (age < deps_.limits.idle_max) {
      break;
    }
    const bool late = place->peer->idle() || age >= deps_.limits.handshake_max;
    if (late && (source == nullptr || place->source == *source)) {
      return place;
    }
  }
  return peers_.end();
}

void TlsListener::admit(rt::Fd socket, std::string source) {
  net::disable_delay(socket.get());
  net::keep_alive(socket.get());
  ++sources_[source];
  const Place place = peers_.insert(peers_.end(), {.source = std::move(source), .peer = nullptr});
  const UnauthenticatedPeer::Deps deps{.loop = deps_.loop,
                                       .tls = *deps_.tls,
                                       .keys = keys_,
                                       .pass_on = deps_.pass_on,
                                       .has_page = deps_.page != nullptr,
                                       .patience = deps_.limits.patience};
  place->peer = std::make_unique<UnauthenticatedPeer>(
      deps, std::move(socket), [this, place](UnauthenticatedPeer::Verdict verdict) {
        const std::string from = place->source;
        forget(place);
        coming_.look();
        std::visit([this, &from](auto& kind) { on(std::move(kind), from); }, verdict);
      });
}

void TlsListener::forget(Place place) {
  const auto held = sources_.find(place->source);
  if (--held->second == 0) {
    sources_.erase(held);
  }
  peers_.erase(place);
}

void TlsListener::on(UnauthenticatedPeer::Proved proved, const std::string& source) {
  (void)source;
  auto connection =
      std::make_shared<Connection>(deps_.loop, std::move(proved.stream), std::move(proved.peer));
  const Transport::Accepted accepted = accepted_;
  accepted(std::make_unique<TlsChannel>(std::move(connection)));  // May destroy this.
}

void TlsListener::on(UnauthenticatedPeer::PageRequest request, const std::string& source) {
  (void)source;
  const PageHandler page = deps_.page;
  page(std::move(request.socket));  // May destroy this.
}

void TlsListener::on(UnauthenticatedPeer::PassedOn passed, const std::string& source) {
  deps_.log.info("control.passed_on", {{"from", source}, {"to", passed.address}});
  passed_.pass(std::move(passed.socket), std::move(passed.address));
}

void TlsListener::on(Refusal refusal, const std::string& source) {
  if (refusal == Refusal::Answered) {
    return;
  }
  const auto [found, first] = refused_.try_emplace(refusal);
  Refused& refused = found->second;
  ++refused.untold;
  refused.source = source;
  const HostTime next = refused.told + deps_.limits.audit_interval;
  if (first || deps_.loop.now() >= next) {
    tell(refusal);
  } else if (refused.untold == 1) {
    refused.next_line = deps_.loop.call_at(next, [this, refusal] { tell(refusal); });
  }
}

void TlsListener::tell(Refusal refusal) {
  Refused& refused = refused_[refusal];
  deps_.loop.cancel(std::exchange(refused.next_line, {}));
  refused.told = deps_.loop.now();
  deps_.log.warning("control.unauthenticated", {{"cause", to_string(refusal)},
                                                {"address", refused.source},
                                                {"count", std::exchange(refused.untold, 0)}});
}

}  // namespace muster::control
