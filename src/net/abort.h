#pragma once

#include "net/stream.h"

namespace muster::net {

/// Lets the peer see a broken connection, not an end, when `stream` is destroyed. Does nothing
/// where the stream is not one of TCP.
void abort_connection(Stream& stream);

}  // namespace muster::net
