#pragma once

#include "keeper/keeper.h"

#include <optional>
#include <string>
#include <vector>

namespace muster::keeper {

/// Reads the words after `muster keeper`: `--order-fd N --claim-fd N --claim-file PATH`, each of
/// them optional but the first. The agent is `program agent --order-fd N --claim-fd N`. Nothing if
/// they are not what Muster writes itself.
[[nodiscard]] std::optional<Options> parse_command(const std::string& program,
                                                   const std::vector<std::string>& words);

/// The whole of `muster keeper`: returns the exit status for main(); 2 for words that are no
/// command.
int run_command(const std::string& program, const std::vector<std::string>& words);

}  // namespace muster::keeper
