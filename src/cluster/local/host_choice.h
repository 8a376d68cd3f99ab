#pragma once

#include "job/action.h"
#include "job/ids.h"

#include <cstdint>
#include <vector>

namespace muster::cluster::local {

/// Chooses one of the virtual hosts h1..h`hosts` for a container: one that need not be avoided
/// (else the one that is avoided least), then a preferred one, then the one with the fewest
/// containers, then the lowest number. `used`: the hosts of the job's live containers.
[[nodiscard]] job::HostName choose_host(const job::RequestContainer& request, uint32_t hosts,
                                        const std::vector<job::HostName>& used);

}  // namespace muster::cluster::local
