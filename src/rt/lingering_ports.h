#pragma once

#include <cstdint>
#include <set>

namespace muster::rt {

/// The TCP ports of this host (of its network namespace) on which the kernel shows connections in
/// TIME_WAIT and nothing else: nobody listens there, though a bind without SO_REUSEADDR fails for
/// up to a minute. A port that is bound without listening is not shown, so one on which connections
/// linger as well cannot be told from one that is free. Empty where the kernel's tables cannot be
/// read.
[[nodiscard]] std::set<uint16_t> lingering_ports();

}  // namespace muster::rt
