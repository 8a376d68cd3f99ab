#pragma once

#include "base/log.h"
#include "control/tls_listener.h"
#include "control/transport.h"
#include "rt/io_loop.h"

#include <memory>

namespace muster::control {

/// Makes the real transport: TLS 1.3 over TCP with the parties' pre-shared keys, carrying frames
/// preceded by their length. An idle connection takes about 10 KiB. Channels and listeners may
/// outlive it; the loop must outlive all of them. Listens on literal addresses only.
[[nodiscard]] std::unique_ptr<Transport> make_tls_transport(rt::IoLoop& loop, log::Logger log,
                                                            PageHandler page = {});

}  // namespace muster::control
