#pragma once

#include "base/strong.h"

#include <cstdint>

namespace muster::os {

/// A process of this host. 0 means none.
using Pid = Strong<struct PidTag, int32_t>;

}  // namespace muster::os
