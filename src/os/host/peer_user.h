#pragma once

#include "base/result.h"

#include <cstdint>

namespace muster::os {

/// Returns the user of the program at the other end of `connection`, a TCP socket whose both ends
/// have 127.0.0.1. NotFound where no program holds that end any more; Unsupported where the kernel
/// does not tell.
[[nodiscard]] Result<uint32_t> peer_user(int connection);

}  // namespace muster::os
