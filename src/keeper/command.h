#pragma once

#include "keeper/keeper.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::keeper {

/// Parses the arguments after `muster keeper`: `--order-fd N [--claim-fd N] [--claim-file PATH]`.
/// The agent is `program agent --order-fd N --claim-fd N`. Nothing if Muster did not write
/// them.
[[nodiscard]] std::optional<Options> parse_command(const std::string& program,
                                                   const std::vector<std::string>& arguments);

/// All of `muster keeper`: returns the exit status for main(); 2 for invalid arguments.
int run_command(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace muster::keeper
