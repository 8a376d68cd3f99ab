#include "control/handshake.h"

#include "net/ready.h"

namespace muster::control {

rt::Async<net::TlsFailure> shake_hands(rt::IoLoop* loop, net::TlsStream* stream) {
  while (true) {
    switch (stream->handshake()) {
      case net::TlsProgress::Done:
        co_return net::TlsFailure::None;
      case net::TlsProgress::WantsRead:
        co_await net::Ready(*loop, stream->fd(), rt::Interest::Read);
        break;
      case net::TlsProgress::WantsWrite:
        co_await net::Ready(*loop, stream->fd(), rt::Interest::Write);
        break;
      case net::TlsProgress::Ended:
        co_return net::TlsFailure::Connection;
      case net::TlsProgress::Failed:
        co_return stream->failure();
    }
  }
}

}  // namespace muster::control
