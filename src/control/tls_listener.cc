#include "control/tls_listener.h"

#include "control/connection.h"

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace muster::control {

TlsListener::TlsListener(Deps deps, net::Listening listening, std::string address, KeyLookup keys,
                         Transport::Accepted accepted)
    : deps_(std::move(deps)),
      address_(std::move(address)),
      keys_(std::move(keys)),
      accepted_(std::move(accepted)),
      socket_(std::move(listening.fd)) {
  resume();
}

TlsListener::~TlsListener() { deps_.loop.cancel(resume_timer_); }

void TlsListener::resume() {
  deps_.loop.cancel(resume_timer_);
  resume_timer_ = {};
  if (watch_ == nullptr) {
    watch_ = deps_.loop.watch(socket_.get(), rt::Interest::Read, [this] { on_readable(); });
  }
}

void TlsListener::pause(Duration delay) {
  watch_.reset();
  resume_timer_ = deps_.loop.call_after(delay, [this] { resume(); });
}

void TlsListener::on_readable() {
  constexpr int kTurnMax = 64;  // Then those that are inside have their turn.
  for (int count = 0; count < kTurnMax; ++count) {
    if (!make_room()) {
      return;
    }
    rt::Fd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      welcome(std::move(socket));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      if (!std::exchange(complained_descriptors_, true)) {
        deps_.log.warning("control.accept_failed",
                          {{"cause", system_error(errno, "accept").message}});
      }
      pause(std::chrono::milliseconds(100));
    }
    return;  // Nobody waits, or somebody has gone again.
  }
}

/// Returns whether one more may come in now; if not, accepting is paused until one may.
bool TlsListener::make_room() {
  if (strangers_.size() < deps_.limits.strangers_max) {
    return true;
  }
  const HostTime now = deps_.loop.now();
  for (auto place = strangers_.begin(); place != strangers_.end(); ++place) {
    if (now - (*place)->since() < deps_.limits.silence_max) {
      break;
    }
    if ((*place)->silent()) {
      complain(Refusal::Silent);
      strangers_.erase(place);
      return true;
    }
  }
  pause(std::chrono::milliseconds(50));
  return false;
}

void TlsListener::welcome(rt::Fd socket) {
  net::disable_delay(socket.get());
  const Place place = strangers_.emplace(strangers_.end());
  Stranger::Handlers handlers{
      .proved =
          [this, place](net::TlsStream stream, Peer peer) {
            auto connection =
                std::make_shared<Connection>(deps_.loop, std::move(stream), std::move(peer));
            const Transport::Accepted accepted = accepted_;
            leave(place);
            accepted(std::make_unique<TlsChannel>(std::move(connection)));  // May destroy this.
          },
      .asked =
          [this, place](rt::Fd socket) {
            const PageHandler page = deps_.page;
            leave(place);
            page(std::move(socket));
          },
      .refused =
          [this, place](Refusal refusal) {
            complain(refusal);
            leave(place);
          }};
  *place = std::make_unique<Stranger>(Stranger::Deps{.loop = deps_.loop,
                                                     .tls = *deps_.tls,
                                                     .keys = keys_,
                                                     .has_page = deps_.page != nullptr,
                                                     .patience = deps_.limits.patience},
                                      std::move(socket), std::move(handlers));
}

void TlsListener::leave(Place place) {
  strangers_.erase(place);
  resume();
}

void TlsListener::complain(Refusal refusal) {
  if (refusal != Refusal::Answered && complained_.insert(refusal).second) {
    deps_.log.warning("control.stranger", {{"cause", to_string(refusal)}});
  }
}

}  // namespace muster::control
