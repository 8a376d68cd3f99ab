#pragma once

#include "os/file/files.h"

#include <cstdint>
#include <optional>

namespace muster::os {

/// Returns what the network devices of this host can carry each way, in bytes per second: the sum
/// over those that are up and have hardware behind them, by their folders in `interfaces`
/// ("/sys/class/net"). nullopt if there are none, or if one of them does not say; virtual machines'
/// devices seldom do.
[[nodiscard]] std::optional<uint64_t> read_network_speed(const Path& interfaces);

}  // namespace muster::os
