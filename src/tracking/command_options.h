#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::tracking {

/// Returns the long options of a command, in order: `--epochs 5 --lr=0.1 --fast` gives epochs 5, lr
/// 0.1 and fast true. Words are split as by a shell, including quotes; nothing is expanded.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> command_options(
    std::string_view command);

}  // namespace muster::tracking
