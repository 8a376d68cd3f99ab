#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/host/hardware.h"
#include "rt/fd.h"

#include <cstdint>
#include <vector>

namespace muster::cluster::yarn {

/// The GPUs of one container, and what keeps other containers of Muster away from them for as long
/// as it, or a fork of its process, lives.
struct GpuClaims {
  std::vector<uint32_t> indices;  ///< Ascending.
  std::vector<rt::Fd> held;
};

/// Works out which of the GPUs that a container sees are its `count`. If the cluster isolates them,
/// it sees no others. If the cluster only counts them, the containers of one host coordinate
/// through kernel names that vanish with their holder: a GPU that another one has is not taken. If
/// none are seen, none are claimed, and none are hidden. Blocks for up to `patience` while those of
/// a container that is just ending are not free yet; then returns an error.
[[nodiscard]] Result<GpuClaims> claim_gpus(const std::vector<os::Gpu>& seen, size_t count,
                                           Duration patience);

}  // namespace muster::cluster::yarn
