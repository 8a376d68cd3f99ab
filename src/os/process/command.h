#pragma once

#include "base/result.h"
#include "base/time.h"
#include "os/process/spawn.h"

#include <cstddef>
#include <string>

namespace muster::os {

struct CommandOutput {
  Exit exit;
  std::string stdout_text;
};

/// Runs a short program to its end and returns what it printed; stderr goes where `options` say.
/// Blocks for at most `deadline`, then kills the program (DeadlineExceeded). More than
/// `limit_bytes` of output is an error.
[[nodiscard]] Result<CommandOutput> run_command(SpawnOptions options, Duration deadline,
                                                size_t limit_bytes = 1U << 20);

}  // namespace muster::os
