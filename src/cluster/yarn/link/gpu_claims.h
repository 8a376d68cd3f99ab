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

/// Works out which of the GPUs that a container sees are its `count`. Where the cluster isolates
/// them it sees no others. Where the cluster only counts, the containers of one host agree by names
/// of the kernel's, which go with their holder: a GPU that another has is not taken. None are seen:
/// none are claimed, and nobody hides any. Blocks for up to `patience` while those of a container
/// that is just ending are not free yet; then an error.
[[nodiscard]] Result<GpuClaims> claim_gpus(const std::vector<os::Gpu>& seen, size_t count,
                                           Duration patience);

}  // namespace muster::cluster::yarn
