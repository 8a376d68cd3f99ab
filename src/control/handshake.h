#pragma once

#include "net/tls.h"
#include "rt/async.h"
#include "rt/io_loop.h"

namespace muster::control {

/// Continues the handshake of `stream` until both sides have proved the key (None), or returns why
/// they did not. Loop and stream must outlive the coroutine.
[[nodiscard]] rt::Async<net::TlsFailure> shake_hands(rt::IoLoop* loop, net::TlsStream* stream);

}  // namespace muster::control
