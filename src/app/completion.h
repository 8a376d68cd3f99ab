#pragma once

#include "app/cli.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::app {

/// Returns the completion script for "bash", "zsh" or "fish". It asks `muster completion words ...`
/// as people type, so that ids of jobs are live.
[[nodiscard]] std::string completion_script(std::string_view shell);

/// Returns what can follow `typed` (the words after "muster", the last one unfinished): commands,
/// options, ids of jobs. Empty where file names are the best guess.
[[nodiscard]] std::vector<std::string> complete(const std::vector<std::string>& typed,
                                                const std::vector<std::string>& jobs);

}  // namespace muster::app
