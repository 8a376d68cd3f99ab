#pragma once

#include "os/process/pid.h"

#include <cstdint>
#include <span>

namespace muster::os {

/// Returns the only process among `processes` that has the reading end of a pipe open into which
/// `writer` writes by `descriptor`; 0 if there are several or none, if it is no pipe, or if that
/// cannot be seen. Others may have it open, too.
[[nodiscard]] Pid only_reader(Pid writer, int32_t descriptor, std::span<const Pid> processes);

}  // namespace muster::os
