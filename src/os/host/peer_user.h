#pragma once

#include "base/result.h"

#include <cstdint>

namespace muster::os {

/// Returns the user of the program at the other end of `connection`, a TCP socket with 127.0.0.1 at
/// both ends. NotFound if no program holds that end any more; Unsupported if the kernel does not
/// say.
[[nodiscard]] Result<uint32_t> peer_user(int connection);

}  // namespace muster::os
