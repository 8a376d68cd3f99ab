#pragma once

#include "net/stream.h"

namespace muster::net {

/// Makes the peer see a broken connection instead of a clean end when `stream` is destroyed. Does
/// nothing unless the stream is TCP.
void abort_connection(Stream& stream);

}  // namespace muster::net
